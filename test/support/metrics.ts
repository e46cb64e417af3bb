/** What stands at a port of metrics. */
export interface MetricsReader {
  /** The sum of all series of a metric; 0 when there is none. */
  read(name: string): Promise<number>;
  /** The same of several, at one moment. */
  readAll<const Names extends readonly string[]>(names: Names): Promise<{ [Index in keyof Names]: number }>;
}

export function metricsAt(port: number): MetricsReader {
  const fetchText = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return {
    read: async (name) => sumOf(await fetchText(), name),
    readAll: async (names) => {
      const text = await fetchText();
      return names.map((name) => sumOf(text, name)) as never;
    },
  };
}

function sumOf(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
