import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AdminPort, Plan, PlanStep } from '../../as-code/index.js';
import { codeOptions, compareFolder, originOptions, overlayOption, pruneOption, withPort } from '../code-folder.js';
import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import type { Ui } from '../ui.js';

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'make the portal what files say',
  description:
    'Makes and changes what differs from the files; nothing is deleted without --prune. With the file of portal plan --out it does exactly that ' +
    'and refuses when a record or a file was changed since. All of it is one transaction, over the database and over --server, or with --one-by-one one for each record; ' +
    'after an interruption of that another apply does what is left. A second one changes nothing.',
  example: [
    'portal apply',
    'portal apply plan.json',
    'portal apply --server https://portal.example.com --scope products/payments --json',
  ],
  arguments: { plan: { description: 'a plan that was kept with portal plan --out', optional: true } },
  options: {
    ...{ ...codeOptions, ...overlayOption, ...pruneOption, ...originOptions },
    oneByOne: {
      type: 'flag',
      description:
        'a transaction for each record, for large changes to a portal that is in use: others can write in between',
    },
    maxDeletes: { type: 'integer', description: 'refuse to delete more records than this', default: 10 },
  },
  reports: true,
  async run({ cwd, ui, json, args: { plan }, options }) {
    const stored = plan === undefined ? null : await readPlan(resolve(cwd, plan), plan);
    const changes = { command: 'portal apply', ...options };
    await withPort({ cwd, ui, server: options.server, changes }, async (port) => {
      const { steps } = await compareFolder(port, { cwd, options });
      const deletes = steps.filter(({ what }) => what === 'delete' || what === 'draft').length;
      if (deletes > options.maxDeletes)
        throw new CommandFailedError(
          `${deletes} records would be deleted.`,
          `if that is meant: --max-deletes ${deletes}`,
        );
      await applySteps(port, { steps, stored, ui, isOneByOne: options.oneByOne });
      const { actOf, summaryOf } = await import('../../as-code/index.js');
      if (json) ui.json({ changes: steps.map(actOf) });
      else
        ui.success(
          steps.length === 0 ? 'Everything was up to date; nothing was changed.' : `Done: ${summaryOf(steps)}.`,
        );
    });
  },
});

interface Applied {
  readonly steps: readonly PlanStep[];
  readonly stored: Plan | null;
  readonly ui: Ui;
  readonly isOneByOne?: boolean;
}

export async function applySteps(port: AdminPort, { steps, stored, ui, isOneByOne = false }: Applied): Promise<void> {
  const { carryOut, planAsText, requireCurrent, StalePlan } = await import('../../as-code/index.js');
  let done = 0;
  try {
    if (stored) requireCurrent(stored, steps);
    const tell = (step: PlanStep) => {
      done += 1;
      if (!ui.isJson) ui.line(planAsText([step])[0]);
    };
    await carryOut(port, steps, { told: tell, isOneByOne });
  } catch (error) {
    if (done > 0) ui.note(`${done} of ${steps.length} were done before that; another apply does the rest.`);
    else if (steps.length > 0) ui.note('Nothing was changed.');
    if (!(error instanceof StalePlan))
      throw new CommandFailedError((error as Error).message, 'mend it and apply again', { cause: error });
    throw new CommandFailedError(error.message, 'portal plan --out writes a new one', { cause: error });
  }
}

async function readPlan(path: string, name: string): Promise<Plan> {
  try {
    const plan = JSON.parse(await readFile(path, 'utf8')) as Plan;
    if ((plan.version as number) === 1 && Array.isArray(plan.acts)) return plan;
  } catch {
    // Reported below: whatever is wrong with the file, it is not a plan.
  }
  throw new CommandFailedError(`${name} is no plan.`, 'portal plan --out writes one');
}
