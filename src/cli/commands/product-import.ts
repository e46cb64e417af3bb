import type { ProductPlan } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { plansAsJson, readImportFile, showPlans } from '../import-report.js';
import { withPortal } from '../open-portal.js';
import { loadChangeWriter, mayBreak, writeSpecReport } from '../spec-report.js';
import type { Ui } from '../ui.js';

export const productImport = defineCommand({
  name: 'product:import',
  summary: 'make products of API documents, or bring them up to date',
  description:
    'Makes a product of each OpenAPI 3.0, 3.1, 3.2, Swagger 2.0 or AsyncAPI document (JSON or YAML) or GraphQL schema: name, slug and descriptions come ' +
    'from its title, summary and description. A product that is there already, by its slug, is given the new document; ' +
    'its texts follow unless they were changed in the portal, and all else stays unless a flag says otherwise. A second ' +
    'run changes nothing. Every document is checked before the first one is written. New products are drafts, which ' +
    'only admins see, until --visibility says otherwise. The activity log names the command line.',
  example: [
    'portal product:import openapi.yaml --visibility public',
    'portal product:import apis/payments.yaml apis/refunds.json --category payments --dry-run',
    'portal product:import openapi.yaml --slug payments --visibility private --audience partners --json',
  ],
  arguments: { files: { description: 'OpenAPI and AsyncAPI documents, GraphQL schemas', variadic: true } },
  options: {
    visibility: { type: 'choice', choices: ['public', 'private', 'draft'], description: 'who sees them' },
    category: { type: 'list', description: 'categories they are in, by slug; all others are left' },
    audience: { type: 'list', description: 'audiences that see them while private, by name; all others are left' },
    slug: { type: 'text', description: 'slug of the product, for one document' },
    checkBreaking: {
      type: 'flag',
      description: 'import nothing if a document breaks callers of the one that is there',
    },
    dryRun: { type: 'flag', description: 'check everything and say what would be done, and change nothing' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const { visibility, slug, dryRun } = options;
    if (slug !== undefined && args.files.length > 1) throw new UsageError('--slug goes with one document.');
    const files = await Promise.all(args.files.map((name) => readImportFile(cwd, name)));
    await withPortal({ cwd, ui }, async (portal) => {
      const choices = { visibility, slug, categories: options.category, audiences: options.audience };
      const plans = await portal.services.catalog.productImport.plan(files, choices);
      if (options.checkBreaking) await refuseBreaking(plans, ui);
      if (!dryRun) await carryOut(plans, ui);
      if (json) ui.json({ dry_run: dryRun, products: plansAsJson(plans, portal) });
      else showPlans(plans, { portal, dryRun, ui, how: '--visibility public' });
    });
  },
});

/** @throws CommandFailedError after the changes were told */
async function refuseBreaking(plans: readonly ProductPlan[], ui: Ui): Promise<void> {
  const broken: string[] = [];
  for (const plan of plans) {
    const diff = await plan.diff().catch((error: Error) => {
      throw new CommandFailedError(`${plan.file}: ${error.message}`, 'import it without --check-breaking', {
        cause: error,
      });
    });
    if (diff === null || !mayBreak(diff)) continue;
    broken.push(`${plan.slug} (${diff.isComplete ? diff.counts.breaking : `at least ${diff.counts.breaking}`})`);
    const told = { diff, say: await loadChangeWriter(), names: [plan.slug, plan.file] } as const;
    if (!ui.isJson) ui.line(writeSpecReport(told, 'text'));
  }
  if (broken.length === 0) return;
  throw new CommandFailedError(
    `Nothing was imported: it would break callers of ${broken.join(', ')}.`,
    'keep what callers use, or import it without --check-breaking',
  );
}

async function carryOut(plans: readonly ProductPlan[], ui: Ui): Promise<void> {
  await ui.progress('Importing', async (progress) => {
    for (const [index, plan] of plans.entries()) {
      try {
        await plan.carryOut();
      } catch (error) {
        // Products already written stay and need not be imported again.
        if (index > 0)
          ui.note(
            `Imported before that: ${plans
              .slice(0, index)
              .map(({ file }) => file)
              .join(', ')}.`,
          );
        ui.note(`${plan.file} (${plan.slug}) could not be imported:`);
        throw error;
      }
      progress.advance(index + 1, plans.length);
    }
  });
}
