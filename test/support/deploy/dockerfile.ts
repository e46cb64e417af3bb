import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';

/** One instruction, with the arguments of the build filled in. */
export interface Step {
  readonly keyword: string;
  readonly text: string;
  /** Of the exec form (`["a", "b"]`); null for the shell form. */
  readonly exec: readonly string[] | null;
}

export interface Stage {
  readonly name: string;
  readonly base: string;
  readonly steps: readonly Step[];
}

/** The stages of a Dockerfile, in order. @throws for what does not begin with a stage */
export function parseDockerfile(text: string): Stage[] {
  const values = new Map<string, string>();
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const step = stepOf(instruction, values);
    if (step.keyword === 'ARG') {
      const [name = '', value = ''] = step.text.split('=');
      if (!values.has(name)) values.set(name, value);
    } else if (step.keyword === 'FROM') {
      const [base = '', , name = String(stages.length)] = step.text.split(/\s+/);
      stages.push({ name, base, steps: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${step.keyword} stands before FROM`);
      stage.steps.push(step);
    }
  }
  return stages;
}

function stepOf(instruction: Instruction, values: ReadonlyMap<string, string>): Step {
  const keyword = instruction.getKeyword();
  // With the flags, which the arguments leave out.
  const joined = instruction
    .getTextContent()
    .replace(/^\w+\s+/, '')
    .replace(/\\\r?\n\s*/g, '');
  // The shell of RUN knows its own variables.
  const text =
    keyword === 'RUN' ? joined : joined.replace(/\$\{(\w+)\}/g, (braced, name: string) => values.get(name) ?? braced);
  const listed = /\[.*\]$/.exec(text)?.[0];
  const isExec = 'getOpeningBracket' in instruction && (instruction as JSONInstruction).getOpeningBracket() !== null;
  return { keyword, text, exec: isExec || /^HEALTHCHECK$/.test(keyword) ? parsed(listed) : null };
}

function parsed(listed: string | undefined): string[] | null {
  return listed === undefined ? null : (JSON.parse(listed) as string[]);
}

/** `A=1 B="two words"` of ENV and LABEL. */
export function readPairs(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w.]+)=("[^"]*"|\S+)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value.replace(/^"|"$/g, '')]));
}
