import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { withPortal } from '../open-portal.js';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

export const auditPrune = defineCommand({
  name: 'audit:prune',
  summary: 'remove activities that need not be kept any longer',
  description:
    'Removes activities from the beginning of the log on, up to a day or an age, and leaves a signed checkpoint from ' +
    'which audit:verify goes on. The log is verified before; when it is not as it was written nothing is removed, ' +
    'except with --force, which also signs the end of the log anew.',
  example: ['portal audit:prune --keep-days 400', 'portal audit:prune --before 2026-01-01 --json'],
  reports: true,
  options: {
    before: { type: 'text', description: 'remove what is older than this day or instant (UTC)', placeholder: 'date' },
    keepDays: { type: 'integer', description: 'remove what is older than so many days', placeholder: 'days' },
    force: { type: 'flag', description: 'also when the log is not as it was written' },
  },
  async run({ cwd, ui, json, options: { before, keepDays, force } }) {
    if ((before === undefined) === (keepDays === undefined)) {
      throw new CommandFailedError('Say from when on to keep.', 'give either --before or --keep-days');
    }
    const report = await withPortal({ cwd, ui }, async ({ services }) => {
      const limit = before === undefined ? daysAgo(services.clock.now(), keepDays ?? 0) : instantOf(before);
      try {
        return await services.activities.pruner.prune(limit, { force });
      } catch (error) {
        throw refusal(error);
      }
    });
    if (json) return ui.json({ removed: report.removed, pruned_id: report.prunedId, pruned_hash: report.prunedHash });
    if (report.removed === 0) return ui.success('Nothing is that old.');
    ui.success(`Removed ${report.removed} activities, up to ${report.prunedId} (checkpoint ${report.prunedHash}).`);
  },
});

function daysAgo(now: Date, days: number): Date {
  if (days >= 1) return new Date(now.getTime() - days * DAY_MS);
  throw new CommandFailedError(`--keep-days ${days} would keep nothing.`, 'give a number of days of at least 1');
}

function instantOf(text: string): Date {
  const instant = new Date(text);
  if (DATE.test(text) && !Number.isNaN(instant.getTime())) return instant;
  throw new CommandFailedError(`--before ${text} is not a date.`, 'write it as 2026-01-31 or 2026-01-31T12:00:00Z');
}

// Recognised by its code: importing the class would load core for every command.
function refusal(error: unknown): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'activity_log_broken') return error;
  return new CommandFailedError(error.message, 'look into it with portal audit:verify; --force prunes all the same');
}
