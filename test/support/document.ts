import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A fenced block of a document: a file to write, or commands to type. */
export interface Step {
  readonly language: string;
  /** From `title="…"`. */
  readonly file: string | undefined;
  readonly text: string;
}

/** The blocks of a document, in its order. */
export async function stepsOf(document: string): Promise<Step[]> {
  const text = await readFile(document, 'utf8');
  return [...text.matchAll(/^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$/gms)].map(
    ([, language = '', file, block = '']) => ({ language, file, text: block }),
  );
}

/** Writes a block where its title says. */
export async function writeStep(cwd: string, { file, language, text }: Step): Promise<void> {
  if (file === undefined) throw new Error(`a block of ${language} does not say which file it is`);
  await mkdir(dirname(join(cwd, file)), { recursive: true });
  await writeFile(join(cwd, file), text);
}
