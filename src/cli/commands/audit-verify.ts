import { defineCommand } from '../command.js';
import { EXIT } from '../errors.js';
import { withPortal } from '../open-portal.js';

const OTHER_KEY =
  'No key of APP_KEY and APP_PREVIOUS_KEYS signed the end of the log. After a restore, bring back the APP_KEY that ' +
  'belongs to the database before anything else.';

export const auditVerify = defineCommand({
  name: 'audit:verify',
  summary: 'check that the activity log is as it was written',
  description:
    'Follows the chain of hashes through every activity and names the first one that was changed, added, moved or ' +
    'removed, at the end of the log too. Exits with 1 when there is one. The hash it ends with, noted elsewhere and ' +
    'given as --anchor later, also shows whether somebody put back an old copy of the database.',
  example: ['portal audit:verify', 'portal audit:verify --json', 'portal audit:verify --protect'],
  reports: true,
  options: {
    anchor: { type: 'text', description: 'hash of an activity that must be there', placeholder: 'hash' },
    protect: { type: 'flag', description: 'first create the triggers that refuse changes of the log' },
  },
  async run({ cwd, ui, json, options }) {
    const report = await withPortal({ cwd, ui }, async ({ services }) => {
      if (options.protect) await services.activities.guard.establish();
      const { verifier, check } = services.activities;
      const found = await verifier.verify({ anchor: options.anchor });
      // A fault that only an anchor shows may be a mistyped one.
      if (found.fault === null || options.anchor === undefined) await check.note(found);
      return { ...found, isSigned: (await verifier.end()).isSealed };
    });
    const { fault, rows, erased, isSigned } = report;
    const [firstId, lastId, hash, prunedId] = [report.firstId, report.lastId, report.lastHash, report.prunedId];
    if (json) {
      const ends = { first_id: firstId, last_id: lastId, last_hash: hash, pruned_id: prunedId };
      ui.json({ ok: fault === null, activities: rows, erased, ...ends, signed: isSigned, fault });
      return fault ? EXIT.failed : EXIT.ok;
    }
    if (fault) {
      ui.error(fault.id === null ? `The log: ${fault.reason}.` : `Activity ${fault.id}: ${fault.reason}.`);
      if (!isSigned) ui.note(OTHER_KEY);
      return EXIT.failed;
    }
    if (prunedId > 0) ui.line(`Pruned up to ${prunedId}.`);
    if (erased > 0) ui.line(`Personal parts erased with their developers: ${erased}.`);
    ui.line(`Ends with activity ${lastId}, hash ${hash}.`);
    ui.success(`${rows} ${rows === 1 ? 'activity is' : 'activities are'} as written.`);
  },
});
