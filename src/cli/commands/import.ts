import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { ImportFault, ImportFile, ProductPlan } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { plansAsJson, readImportFile, showPlans, explainUnreadable } from '../import-report.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

const ADDRESS = /^https?:\/\//i;
const GRAPHQL = /\.(?:graphql|graphqls|gql)$/i;
const DOCUMENT = /\.(?:json|ya?ml|graphql|graphqls|gql)$/i;
/** Every document but a GraphQL schema says at its top, or near it, what it is. */
const SAYS_WHAT_IT_IS = /(?:^|[{,])[\t ]*["']?(?:openapi|swagger|asyncapi)["']?[\t ]*:[\t ]*["']?[1-9]/m;
const PASSED = new Set(['node_modules', 'dist', 'coverage']);

export const importCommand = defineCommand({
  name: 'import',
  summary: 'make products of files, folders and addresses of API documents in one go',
  description:
    'Makes a product of each API document: of files, of every document in a folder and those below it, and of addresses, which are fetched as ' +
    'the portal fetches them (https and public, or in outbound.allow). Slug and texts come from the document, as with product:import, and ' +
    'products that are there are brought up to date. A document that cannot be imported is named and keeps no other back. ' +
    'Ends with 0 when all of them were imported, with 1 when one was not, and with 2 for a command line that is wrong. New products are drafts ' +
    'unless --publish says otherwise.',
  example: [
    'portal import openapi.yaml --publish',
    'portal import specs/ https://api.example.com/openapi.json --category payments --dry-run',
    'portal import specs/ --publish --audience partners --json',
  ],
  arguments: { sources: { description: 'files, folders and addresses', variadic: true } },
  options: {
    category: { type: 'list', description: 'categories they are in, by slug; all others are left' },
    audience: { type: 'list', description: 'audiences that see them, by name; with --publish nobody else does' },
    publish: { type: 'flag', description: 'show them to everybody, or with --audience to its members' },
    dryRun: { type: 'flag', description: 'check everything and say what would be done, and change nothing' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options: { category, audience, publish, dryRun } }) {
    const { files, faults: unread } = await collect(cwd, args.sources);
    return withPortal({ cwd, ui }, async (portal) => {
      const visibility = publish ? (audience === undefined ? 'public' : 'private') : undefined;
      const choices = { visibility, categories: category, audiences: audience } as const;
      const { plans, faults } = await portal.services.catalog.productImport.planUsable(files, choices);
      const { done, refused } = dryRun ? { done: plans, refused: [] } : await carryOut(plans, ui);
      const failed = [...unread, ...faults, ...refused];
      if (json) ui.json({ dry_run: dryRun, products: plansAsJson(done, portal), failed });
      else {
        if (done.length > 0) showPlans(done, { portal, dryRun, ui, how: '--publish' });
        for (const { file, reasons } of failed) for (const reason of reasons) ui.error(`${file}: ${reason}`);
        if (failed.length > 0) ui.note(`${failed.length} of ${done.length + failed.length} could not be imported.`);
      }
      return failed.length === 0 ? EXIT.ok : EXIT.failed;
    });
  },
});

interface Collected {
  readonly files: readonly ImportFile[];
  readonly faults: readonly ImportFault[];
}

/** @throws CommandFailedError where the sources hold no document at all */
async function collect(cwd: string, sources: readonly string[]): Promise<Collected> {
  const files = new Map<string, ImportFile>();
  const faults: ImportFault[] = [];
  const blame = (file: string, reason: string) => void faults.push({ file, reasons: [reason] });
  for (const source of sources) {
    if (ADDRESS.test(source)) {
      files.set(source, { name: source, kind: 'json', bytes: Buffer.from(JSON.stringify({ url: source })) });
      continue;
    }
    try {
      const isFolder = (await stat(resolve(cwd, source))).isDirectory();
      const found = isFolder ? await documentsIn(cwd, source) : [await readImportFile(cwd, source)];
      for (const file of found) files.set(resolve(cwd, file.name), file);
      if (found.length === 0) blame(source, 'There is no API document in this folder.');
    } catch (error) {
      blame(
        source,
        error instanceof CommandFailedError ? error.message : `${explainUnreadable(error as NodeJS.ErrnoException)}.`,
      );
    }
  }
  return { files: [...files.values()], faults };
}

async function documentsIn(cwd: string, folder: string): Promise<ImportFile[]> {
  const root = resolve(cwd, folder);
  const names = (await readdir(root, { recursive: true }))
    .filter((name) => DOCUMENT.test(name) && !isPassed(name))
    .sort();
  const found: ImportFile[] = [];
  for (const name of names) {
    if ((await stat(join(root, name))).isDirectory()) continue;
    const file = await readImportFile(cwd, relative(cwd, join(root, name)) || name);
    // A folder of documents has other files too; one that was named itself is told what is wrong with it.
    if (GRAPHQL.test(name) || SAYS_WHAT_IT_IS.test(file.bytes.toString('utf8'))) found.push(file);
  }
  return found;
}

function isPassed(name: string): boolean {
  return name.split(sep).some((part) => part.startsWith('.') || PASSED.has(part));
}

/** One after the other; one that is refused now, as somebody made the same meanwhile, does not stop the others. */
async function carryOut(plans: readonly ProductPlan[], ui: Ui) {
  const done: ProductPlan[] = [];
  const refused: ImportFault[] = [];
  await ui.progress('Importing', async (progress) => {
    for (const [index, plan] of plans.entries()) {
      try {
        await plan.carryOut();
        done.push(plan);
      } catch (error) {
        refused.push({ file: plan.file, reasons: [(error as Error).message] });
      }
      progress.advance(index + 1, plans.length);
    }
  });
  return { done, refused };
}
