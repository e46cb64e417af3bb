import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ImportFile, Portal, ProductPlan } from '../portal.js';
import { CommandFailedError } from './errors.js';
import type { Ui } from './ui.js';

/** @throws CommandFailedError for a file that is not there, or no file */
export async function readImportFile(cwd: string, name: string): Promise<ImportFile> {
  try {
    return { name, bytes: await readFile(resolve(cwd, name)) };
  } catch (cause) {
    const fix = 'name the documents themselves, as paths from the current folder';
    throw new CommandFailedError(`${name}: ${explainUnreadable(cause as NodeJS.ErrnoException)}.`, fix, { cause });
  }
}

/** Without a full stop. */
export function explainUnreadable({ code, message }: NodeJS.ErrnoException): string {
  const known = { ENOENT: 'There is no such file', EISDIR: 'It is a folder', EACCES: 'It may not be read' };
  return known[code as keyof typeof known] ?? message;
}

/** What an import does, for programs. */
export function plansAsJson(plans: readonly ProductPlan[], portal: Portal) {
  return plans.map((plan) => {
    const { file, slug, name, visibility, outcome, changes } = plan;
    return { file, slug, name, visibility, outcome, changes: changes.map(snake), url: pageOf(plan, portal) };
  });
}

interface Shown {
  readonly portal: Portal;
  readonly dryRun: boolean;
  readonly ui: Ui;
  /** The flag that shows drafts. */
  readonly how: string;
}

/** The same for people. */
export function showPlans(plans: readonly ProductPlan[], { portal, dryRun, ui, how }: Shown): void {
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
      `Only admins see ${drafts.join(', ')}. To show ${drafts.length === 1 ? 'it' : 'them'}: the same with ${how}.`,
    );
  }
  if (dryRun) ui.success('Nothing was changed.');
  else if (plans.every(({ outcome }) => outcome === 'unchanged'))
    ui.success('Everything was up to date; nothing was changed.');
  else ui.success('Done.');
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** URL of the product's page; null without the web theme. */
function pageOf({ slug }: ProductPlan, { config, parts }: Portal): string | null {
  return config.theme.enabled ? parts.address.page(`/products/${slug}`) : null;
}

function outcomeOf({ outcome, changes }: ProductPlan, dryRun: boolean): string {
  const word = dryRun && outcome !== 'unchanged' ? `would be ${outcome}` : outcome;
  return changes.length === 0 ? word : `${word} (${changes.map(snake).join(', ')})`;
}
