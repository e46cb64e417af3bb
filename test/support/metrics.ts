/** What stands at a port of metrics. */
export interface MetricsReader {
  /** The sum of all series of a metric; 0 when there is none. */
  read(name: string): Promise<number>;
}

export function metricsAt(port: number): MetricsReader {
  return {
    read: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}
