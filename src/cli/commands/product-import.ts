import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Portal, ProductPlan } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { withPortal } from '../open-portal.js';
import { loadSpecWords, writeSpecReport } from '../spec-report.js';
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
    const files = await Promise.all(args.files.map((name) => readDocument(cwd, name)));
    await withPortal({ cwd, ui }, async (portal) => {
      const choices = { visibility, slug, categories: options.category, audiences: options.audience };
      const plans = await portal.services.catalog.productImport.plan(files, choices);
      if (options.checkBreaking) await refuseBreaking(plans, ui);
      if (!dryRun) await carryOut(plans, ui);
      if (json) ui.json({ dry_run: dryRun, products: plans.map((plan) => present(plan, portal)) });
      else showReport(plans, portal, dryRun, ui);
    });
  },
});

async function readDocument(cwd: string, name: string) {
  try {
    return { name, bytes: await readFile(resolve(cwd, name)) };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = { ENOENT: 'There is no such file', EISDIR: 'It is a folder', EACCES: 'It may not be read' }[
      code ?? ''
    ];
    const fix = 'name the documents themselves, as paths from the current folder';
    throw new CommandFailedError(`${name}: ${reason ?? message}.`, fix, { cause });
  }
}

/** @throws CommandFailedError after the changes were told */
async function refuseBreaking(plans: readonly ProductPlan[], ui: Ui): Promise<void> {
  const broken: string[] = [];
  for (const plan of plans) {
    const diff = await plan.diff().catch((error: Error) => {
      throw new CommandFailedError(`${plan.file}: ${error.message}`, 'import it without --check-breaking', {
        cause: error,
      });
    });
    if (diff === null || diff.counts.breaking === 0) continue;
    broken.push(`${plan.slug} (${diff.counts.breaking})`);
    const told = { diff, say: await loadSpecWords(), names: [plan.slug, plan.file] } as const;
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

function present(plan: ProductPlan, portal: Portal) {
  const { file, slug, name, visibility, outcome, changes } = plan;
  return { file, slug, name, visibility, outcome, changes: changes.map(snake), url: pageOf(plan, portal) };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** URL of the product's page; null without the web theme. */
function pageOf({ slug }: ProductPlan, { config, parts }: Portal): string | null {
  return config.theme.enabled ? parts.address.page(`/products/${slug}`) : null;
}

function showReport(plans: readonly ProductPlan[], portal: Portal, dryRun: boolean, ui: Ui): void {
  ui.table([
    ['PRODUCT', 'NAME', 'VISIBILITY', '', 'FILE'],
    ...plans.map((plan) => [plan.slug, plan.name, plan.visibility, outcomeOf(plan, dryRun), plan.file]),
  ]);
  ui.line();
  for (const plan of plans) {
    const page = pageOf(plan, portal);
    if (plan.visibility !== 'draft' && page !== null) ui.line(page);
  }
  const drafts = plans.filter(({ visibility }) => visibility === 'draft').map(({ slug }) => slug);
  if (drafts.length > 0) {
    ui.note(
      `Only admins see ${drafts.join(', ')}. To show ${drafts.length === 1 ? 'it' : 'them'}: the same with --visibility public.`,
    );
  }
  if (dryRun) ui.success('Nothing was changed.');
  else if (plans.every(({ outcome }) => outcome === 'unchanged'))
    ui.success('Everything was up to date; nothing was changed.');
  else ui.success('Done.');
}

function outcomeOf({ outcome, changes }: ProductPlan, dryRun: boolean): string {
  const word = dryRun && outcome !== 'unchanged' ? `would be ${outcome}` : outcome;
  return changes.length === 0 ? word : `${word} (${changes.map(snake).join(', ')})`;
}
