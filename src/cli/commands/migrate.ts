import type { MigrationRun } from '../../database/index.js';
import { defineCommand } from '../command.js';
import { noteNext } from '../next-command.js';
import { withAnyPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'run the migrations that are pending',
  description:
    'Runs the migrations of the package and of the project that have not run yet, in the order of their names, under ' +
    'one lock: any number of replicas may start it at the same time. A migration of the project replaces the ' +
    'package’s migration of the same name. What ran before a failure stays; running again goes on from there.',
  example: ['portal migrate', 'portal migrate --pretend'],
  options: { pretend: { type: 'flag', description: 'print the SQL and change nothing' } },
  reports: true,
  async run({ cwd, ui, json, options: { pretend } }) {
    await withAnyPortal({ cwd, ui }, async (portal) => {
      const { migrator } = portal;
      const up = () => ui.progress('Migrating', ({ message }) => migrator.up({ onStart: message }));
      const runs = pretend ? await migrator.up({ pretend }) : await up();
      if (json) return ui.json({ pretend, migrations: runs.map((run) => presentRun(run, pretend)) });
      if (pretend) printStatements(runs, ui);
      ui.success(runs.length === 0 ? 'Nothing to migrate.' : `${pretend ? 'Would run' : 'Ran'} ${countRuns(runs)}.`);
      if (!pretend) await noteNext(portal, ui);
    });
  },
});

export function presentRun({ name, statements }: MigrationRun, pretend: boolean): object {
  return pretend ? { name, statements } : { name };
}

export function printStatements(runs: readonly MigrationRun[], ui: Ui): void {
  for (const { name, statements } of runs) {
    ui.line(`-- ${name}`);
    for (const statement of statements) ui.line(`${statement};`);
    ui.line();
  }
}

export function countRuns({ length }: readonly MigrationRun[]): string {
  return `${length} ${length === 1 ? 'migration' : 'migrations'}`;
}
