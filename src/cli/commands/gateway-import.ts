import type { ImportReport } from '../../portal.js';
import { defineCommand } from '../command.js';
import { EXIT } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

/** Most skipped items to list; `--json` lists all. */
const MOST_LINES = 50;

export const gatewayImport = defineCommand({
  name: 'gateway:import',
  summary: 'take over the developers, teams, apps and keys of a gateway',
  description:
    'Reads every developer of the gateway with their apps and keys into the portal, and marks them there as the portal’s; then its ' +
    'teams, with those of their people whom it knows as developers. ' +
    'Keys go on working and stay where they are; their products become drafts where the portal lacks them. Accounts have no ' +
    'password: developers set one through “forgot password”. An e-mail that the portal knows already is left out: nobody ' +
    'is taken over by address. A run that was interrupted is taken up again by starting it once more.',
  example: ['portal gateway:import --dry-run', 'portal gateway:import', 'portal gateway:import --json'],
  reports: true,
  options: {
    dryRun: { type: 'flag', description: 'read everything and say what would be taken over, and change nothing' },
    foreign: {
      type: 'flag',
      description: 'take over also what carries the ids of another portal, for example one that was lost',
    },
    parallel: { type: 'integer', description: 'developers at the same time', default: 8 },
  },
  async run({ cwd, ui, json, options }) {
    const { dryRun } = options;
    const report = await withPortal({ cwd, ui }, ({ services }) =>
      ui.progress(dryRun ? 'Reading the gateway' : 'Importing', (progress) =>
        services.apps.import.run({
          ...{ dryRun, foreign: options.foreign, parallel: options.parallel },
          onProgress: (done, total) =>
            total === null ? progress.message(`${done} developers and teams`) : progress.advance(done, total),
        }),
      ),
    );
    if (json) ui.json(presentReport(report, dryRun));
    else showReport(report, dryRun, ui);
    return report.failed > 0 ? EXIT.failed : EXIT.ok;
  },
});

function presentReport({ notes, ...counts }: ImportReport, dryRun: boolean) {
  const { developers, teams, apps, keys, products, already, skipped, failed } = counts;
  return { dry_run: dryRun, developers, teams, apps, keys, products, already, skipped, failed, notes };
}

function showReport(report: ImportReport, dryRun: boolean, ui: Ui): void {
  const { developers, teams, apps, keys, products, already, skipped, failed, notes } = report;
  for (const { developer, app, reason } of notes.slice(0, MOST_LINES)) {
    ui.warn(`${developer}${app === null ? '' : ` / ${app}`}: ${reason}`);
  }
  if (notes.length > MOST_LINES) ui.note(`… and ${notes.length - MOST_LINES} more; --json has all of them.`);
  ui.table([
    ['', dryRun ? 'WOULD BE TAKEN OVER' : 'TAKEN OVER'],
    ...Object.entries({ developers, teams, apps, keys, 'products, as drafts': products }).map(([what, n]) => [
      what,
      String(n),
    ]),
  ]);
  ui.line();
  if (already > 0) ui.line(`Taken over before: ${already} developers and teams.`);
  if (skipped > 0) ui.line(`Left out: ${skipped} developers and teams.`);
  if (failed > 0) ui.error(`${failed} developers or teams could not be read or taken over; run the command again.`);
  else ui.success(dryRun ? 'Nothing was changed.' : 'Done.');
}
