import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { withAnyPortal } from '../open-portal.js';
import { countRuns, presentRun, printStatements } from './migrate.js';

export const migrateRollback = defineCommand({
  name: 'migrate:rollback',
  summary: 'undo the migrations of the last run',
  description:
    'Undoes the migrations of the last run of portal migrate, latest first, or the last ones you count with --step. ' +
    'Tables that a migration created go with everything in them: look at --pretend first.',
  example: ['portal migrate:rollback --pretend', 'portal migrate:rollback --step 1'],
  options: {
    step: { type: 'integer', description: 'how many migrations to undo, instead of the last run' },
    pretend: { type: 'flag', description: 'print the SQL and change nothing' },
  },
  reports: true,
  async run({ cwd, ui, json, options: { step, pretend } }) {
    if (step === 0) throw new UsageError('--step must be 1 or more.');
    const runs = await withAnyPortal({ cwd, ui }, ({ migrator }) =>
      pretend
        ? migrator.rollback({ steps: step, pretend })
        : ui.progress('Rolling back', ({ message }) => migrator.rollback({ steps: step, onStart: message })),
    );
    if (json) return ui.json({ pretend, migrations: runs.map((run) => presentRun(run, pretend)) });
    if (pretend) printStatements(runs, ui);
    const done = `${pretend ? 'Would undo' : 'Undid'} ${countRuns(runs)}.`;
    ui.success(runs.length === 0 ? 'Nothing to undo.' : done);
  },
});
