import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import type { Assignments } from './key-rotation.js';

/**
 * Sets variables in a `.env` file: existing lines are replaced in place, new ones appended. Everything else stays,
 * including the permissions; the write is atomic.
 */
export async function setVariables(file: string, variables: Assignments): Promise<void> {
  const text = await readFile(file, 'utf8');
  const { mode } = await stat(file);
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, withVariables(text, variables), { mode: mode & 0o777 });
  await rename(draft, file);
}

function withVariables(text: string, variables: Assignments): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const left = new Map(Object.entries(variables));
  const changed = lines.map((line) => {
    const name = /^\s*(?:export\s+)?([A-Z0-9_]+)\s*=/.exec(line)?.[1];
    const value = name === undefined ? undefined : left.get(name);
    if (name === undefined || value === undefined) return line;
    left.delete(name);
    return `${name}=${value}`;
  });
  return [...changed, ...[...left].map(([name, value]) => `${name}=${value}`), ''].join('\n');
}
