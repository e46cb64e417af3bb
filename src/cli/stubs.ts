import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../core/manifest.js';

/**
 * A file of `stubs/` with its `{{words}}` filled in. Stubs are written once and then belong to the host project;
 * unknown placeholders are left alone, since other tools use braces too.
 * @param name path below `stubs/`
 */
export async function readStub(name: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const text = await readFile(join(packageFolder(), 'stubs', name), 'utf8');
  return text.replace(/\{\{(\w+)\}\}/g, (braced, word: string) => values[word] ?? braced);
}
