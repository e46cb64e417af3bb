import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOptions, compareFolder, overlayOption, pruneOption, withPort } from '../code-folder.js';
import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';

/** As `terraform plan -detailed-exitcode`: something would be changed. */
const CHANGES = 2;

export const planCommand = defineCommand({
  name: 'plan',
  summary: 'say what differs between files and portal',
  description:
    'Compares the files with the portal, changes nothing, and ends with 0 if they say the same and with 2 if an apply would ' +
    'change something. A field that a file does not have is left as it is. --out keeps the plan with the version of each ' +
    'record: portal apply with that file refuses when something moved since. No plan has a secret in it.',
  example: [
    'portal plan',
    'portal plan --out plan.json',
    'portal plan --server https://portal.example.com --markdown > comment.md',
    'portal plan --env production --explain',
  ],
  options: {
    ...{ ...codeOptions, ...overlayOption, ...pruneOption },
    out: { type: 'text', placeholder: 'file', description: 'keep the plan in this file' },
    markdown: { type: 'flag', description: 'write it as the comment of a pull request' },
    explain: { type: 'flag', description: 'say which fields an overlay sets, and how' },
  },
  reports: true,
  async run({ cwd, ui, json, options }) {
    if (json && options.markdown) throw new UsageError('--json and --markdown: choose one.');
    const { actOf, planAsMarkdown, planAsText, summaryOf } = await import('../../as-code/index.js');
    const { wanted, steps } = await withPort({ cwd, ui, server: options.server }, (port) =>
      compareFolder(port, { cwd, options }),
    );
    const acts = steps.map(actOf);
    if (options.out !== undefined) {
      await writeFile(resolve(cwd, options.out), `${JSON.stringify({ version: 1, acts }, null, 2)}\n`);
    }
    const overlaid = wanted.filter((one) => one.overlaid.length > 0);
    const explained = overlaid.map((one) => ({ record: `${one.kind.name}/${one.key}`, fields: one.overlaid }));
    if (json) ui.json({ changes: acts, ...(options.explain && { overlay: explained }) });
    else if (options.markdown) ui.line(planAsMarkdown(acts));
    else {
      if (options.explain) {
        ui.note('An overlay wins: mappings are merged field by field, all else is replaced, null takes a field away.');
        for (const { record, fields } of explained)
          ui.line(`  ${record}: ${fields.join(', ')} from portal.${options.env}.yaml`);
      }
      for (const line of planAsText(acts)) ui.line(line);
      ui.success(acts.length === 0 ? 'Files and portal say the same.' : `${summaryOf(acts)}.`);
    }
    return acts.length === 0 ? 0 : CHANGES;
  },
});
