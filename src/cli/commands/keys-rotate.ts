import { join } from 'node:path';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import type { Assignments, KeyKind, Rotation } from '../key-rotation.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

/** Values that need no quotes in a list of a `.env` file. */
const PLAIN = /^[\w:+/=.~-]+$/;

export const keysRotate = defineCommand({
  name: 'keys:rotate',
  summary: 'replace the secrets of tokens and of encryption',
  description:
    'Makes new values for app.key and portalApi.jwtSecret, writes them into .env, and keeps the earlier ones in ' +
    'app.previousKeys and portalApi.jwtPreviousSecrets, so that nobody is signed out and everything still opens. After ' +
    'the restart, --reseal encrypts what is stored with the new key. With several replicas, or secrets outside of .env, ' +
    '--print writes nothing and gives the variables of each step: accept the new key everywhere, use it, retire the old.',
  example: ['portal keys:rotate', 'portal keys:rotate --only jwt --print', 'portal keys:rotate --reseal'],
  reports: true,
  options: {
    only: { type: 'choice', choices: ['jwt', 'encryption'], description: 'one of the two secrets' },
    print: { type: 'flag', description: 'change nothing; print the variables for each step' },
    reseal: { type: 'flag', description: 'encrypt what is stored anew with the newest app.key' },
  },
  async run({ cwd, ui, json, options: { only, print, reseal } }) {
    if (reseal) return reEncryptStored(cwd, ui, json);
    await requireHostProject(cwd);
    const { acceptStep, keyKinds, retireStep, useStep } = await import('../key-rotation.js');
    const kinds = keyKinds.filter(({ name }) => only === undefined || only === name);
    const rotations = await readRotations(cwd, kinds, print);
    if (print) {
      const steps = { accept: acceptStep(rotations), use: useStep(rotations), retire: retireStep(rotations) };
      if (json) return ui.json(steps);
      return printSteps(ui, steps);
    }
    await setVariables(join(cwd, '.env'), useStep(rotations));
    const variables = rotations.map(({ variable }) => variable);
    if (json) return ui.json({ rotated: variables });
    ui.success(`${variables.join(' and ')} ${variables.length === 1 ? 'has a new value' : 'have new values'} in .env.`);
    ui.line('Restart the portal. The earlier values are kept and still accepted.');
    if (rotations.some(({ kind }) => kind.name === 'encryption')) {
      ui.line('Then run portal keys:rotate --reseal, and take the earlier values away as docs/production.md says.');
    }
  },
});

async function readRotations(cwd: string, kinds: readonly KeyKind[], print: boolean): Promise<Rotation[]> {
  const { loadConfig } = await import('../../config/index.js');
  const { config, sources, options } = await loadConfig({ cwd });
  const variableOf = (path: string) => options.find((option) => option.path === path)?.env[0] ?? path;
  const values = {
    encryption: { current: config.app.key, previous: config.app.previousKeys },
    jwt: { current: config.portalApi.jwtSecret, previous: config.portalApi.jwtPreviousSecrets },
  };
  return kinds.map((kind) => {
    const { current, previous } = values[kind.name];
    const { path, previousPath } = kind;
    if (current === '') {
      throw new CommandFailedError(
        `${path} is not set: tokens are signed with portalApi.jwtKeys.`,
        'make a new PEM pair, put it into portalApi.jwtKeys and the present one into portalApi.jwtPreviousKeys',
      );
    }
    const place = [sources[path], sources[previousPath]].find((source) => source !== '.env' && source !== 'default');
    if (place !== undefined && !print) {
      throw new CommandFailedError(
        `${path} does not come from .env alone, but from ${place === 'file' ? 'portal.config.ts' : `the ${place}`}.`,
        'run portal keys:rotate --print and set the variables where they are kept',
      );
    }
    if (![current, ...previous].every((value) => PLAIN.test(value))) {
      throw new CommandFailedError(
        `${path} holds characters that cannot stand in a list of values.`,
        `move it to ${previousPath} in portal.config.ts by hand and give ${path} a new value`,
      );
    }
    const names = { variable: variableOf(path), previousVariable: variableOf(previousPath) };
    return { kind, ...names, current, previous, next: kind.make() };
  });
}

function printSteps(ui: Ui, { accept, use, retire }: Readonly<Record<'accept' | 'use' | 'retire', Assignments>>): void {
  printStep(ui, '1. Every replica accepts the new values. Set these, restart one replica after the other.', accept);
  printStep(ui, '2. Every replica uses them. Set these, restart one after the other.', use);
  ui.line('Then run portal keys:rotate --reseal.');
  printStep(ui, '3. Once no token and no activity of before is needed any more, retire the old ones.', retire);
}

function printStep(ui: Ui, title: string, variables: Assignments): void {
  ui.heading(title);
  for (const [name, value] of Object.entries(variables)) ui.line(`${name}=${value}`);
  ui.line();
}

async function reEncryptStored(cwd: string, ui: Ui, json: boolean): Promise<number> {
  const columns = await withPortal({ cwd, ui }, (portal) => portal.reEncrypt());
  const sum = (name: 'examined' | 'resealed' | 'unreadable') =>
    columns.reduce((total, report) => total + report[name], 0);
  const unreadable = sum('unreadable');
  if (json) ui.json({ examined: sum('examined'), resealed: sum('resealed'), unreadable, columns });
  else {
    ui.table([
      ['COLUMN', 'VALUES', 'RESEALED', 'UNREADABLE'],
      ...columns.map((row) => [
        `${row.table}.${row.column}`,
        ...[row.examined, row.resealed, row.unreadable].map(String),
      ]),
    ]);
    if (unreadable > 0) ui.error('Some values open with none of the keys. Bring the key they were written with back.');
    else ui.success('Everything is encrypted with the newest key.');
  }
  return unreadable > 0 ? EXIT.failed : EXIT.ok;
}

/**
 * Sets variables in a `.env` file: existing lines are replaced in place, new ones appended. Everything else stays,
 * including the permissions; the write is atomic.
 */
async function setVariables(file: string, variables: Assignments): Promise<void> {
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
