import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import { readStub } from '../stubs.js';

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const makeMigration = defineCommand({
  name: 'make:migration',
  summary: 'write a new migration into the project',
  description:
    'Writes migrations/<time>-<name>.ts, ready to fill in. Names of the form create-<table> and ' +
    'add-<column>-to-<table> give a migration that works as it stands.',
  example: ['portal make:migration create-acme-tenants', 'portal make:migration add-region-to-portal-users'],
  arguments: { name: { description: 'what it does, in words joined by hyphens' } },
  reports: true,
  async run({ cwd, ui, json, args }) {
    const slug = args.name;
    if (!KEBAB_CASE.test(slug)) throw new UsageError(`"${slug}" is no name for a migration. ${suggestion(slug)}`);
    await requireHostProject(cwd);
    const name = `${timestamp(new Date())}-${slug}`;
    const file = join('migrations', `${name}.ts`);
    const text = await stubFor(slug);
    await mkdir(join(cwd, 'migrations'), { recursive: true });
    await writeNew(join(cwd, file), text);
    if (json) return ui.json({ file, name });
    ui.success(`Wrote ${file}`);
    ui.line('Fill it in, then run portal migrate.');
  },
});

function stubFor(slug: string): Promise<string> {
  const [, created] = /^create-(.+)$/.exec(slug) ?? [];
  if (created !== undefined) return readStub('make/create-table.ts', { table: snake(created) });
  const [, added, table] = /^add-(.+)-to-(.+)$/.exec(slug) ?? [];
  if (added === undefined || table === undefined) return readStub('make/migration.ts');
  return readStub('make/add-column.ts', { column: snake(added), table: snake(table) });
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFailedError(`${path} exists already.`, 'wait a second, or choose another name', { cause: error });
  }
}

/** `YYYYMMDDHHMMSS` in UTC, so that the files of teammates in different time zones sort by creation time. */
function timestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, '').slice(0, 14);
}

function suggestion(text: string): string {
  const slug = text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|(?<!-)-+$/g, '');
  return slug === '' ? 'Use words such as create-tenants.' : `Try ${slug}.`;
}

function snake(slug: string): string {
  return slug.replaceAll('-', '_');
}
