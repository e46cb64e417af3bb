import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** A block of a page, by the word behind its language: ```` ```sh restore-sqlite ````. */
export function guideBlock(page: string, name: string): string {
  const text = readFileSync(join(process.cwd(), page), 'utf8');
  const block = new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  if (block === undefined) throw new Error(`${page} has no block ${name}`);
  return block;
}

/** The names of all such blocks of a page, in their order. */
export function guideBlocks(page: string): string[] {
  const text = readFileSync(join(process.cwd(), page), 'utf8');
  return [...text.matchAll(/^```sh ([a-z-]+)$/gm)].map(([, name]) => name ?? '');
}

/** Runs shell commands of a page as somebody types them in a host project, `portal` included. @throws when one fails */
export async function typeIn(cwd: string, env: Readonly<Record<string, string>>, commands: string): Promise<string> {
  const bin = join(cwd, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'portal');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(process.cwd(), 'bin', 'portal.js')}" "$@"\n`);
  chmodSync(program, 0o755);
  const path = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await execa('sh', ['-eu', '-c', commands], { cwd, env: { ...env, ...path }, extendEnv: false });
  return stdout;
}
