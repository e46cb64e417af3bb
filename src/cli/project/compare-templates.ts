import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, readPublishingRecord, type RecordedFile } from './publishing-record.js';
import { listShippedTemplates } from './shipped-templates.js';

/**
 * How a published file compares with the package's:
 * - `same`: identical
 * - `yours`: you changed it, the package did not
 * - `outdated`: the package changed it since, you did not
 * - `both`: you changed it, and so did the package
 * - `unknown`: differs, and the version it came from is not recorded
 * - `gone`: published once, but no longer in the package
 */
export type TemplateState = 'same' | 'yours' | 'outdated' | 'both' | 'unknown' | 'gone';

export interface ComparedTemplate {
  readonly path: string;
  readonly state: TemplateState;
  /** Package version it was copied from; null when not recorded. */
  readonly publishedFrom: string | null;
  /** The host's file; for a language file only the lines it shares with the package's. */
  readonly yours: string;
  /** The package's current file, likewise; null when it has none. */
  readonly shipped: string | null;
}

/** States in which the package has changes that the host may have missed. */
export const NEWS: ReadonlySet<TemplateState> = new Set(['outdated', 'both', 'gone']);

/** Every file in a host's folder that overrides one of the package's; the host's other files are ignored. */
export async function compareTemplates(folder: string): Promise<ComparedTemplate[]> {
  const [shipped, record] = await Promise.all([listShippedTemplates(), readPublishingRecord(folder)]);
  const names = new Set(shipped.map(({ path }) => path));
  const former = Object.keys(record).filter((path) => !names.has(path));
  const files = [...shipped, ...former.map((path) => ({ path, text: null }))];
  const compared = await Promise.all(
    files.map(async ({ path, text }) => {
      const yours = await readFile(join(folder, path), 'utf8').catch(() => null);
      return yours === null ? null : compare(path, yours, text, record[path]);
    }),
  );
  return compared.filter((view) => view !== null).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function compare(path: string, yours: string, shipped: string | null, origin?: RecordedFile): ComparedTemplate | null {
  const publishedFrom = origin?.version ?? null;
  if (shipped === null) return { path, state: 'gone', publishedFrom, yours, shipped };
  const [mine, theirs, before] = [fingerprint(yours), fingerprint(shipped), origin?.sha256];
  const shared = path.startsWith('lang/') ? compareMessages(yours, shipped) : [yours, shipped];
  // The host's own messages, which override nothing of the package.
  if (!shared && !origin) return null;
  const [own = yours, present = shipped] = shared ?? [];
  const state = fingerprint(own) === fingerprint(present) ? 'same' : compareTexts(mine, theirs, before);
  return { path, state, publishedFrom, yours: own, shipped: present };
}

function compareTexts(mine: string, theirs: string, before: string | undefined): TemplateState {
  if (before === undefined) return 'unknown';
  if (before === theirs) return 'yours';
  return before === mine ? 'outdated' : 'both';
}

type Tree = { readonly [key: string]: unknown };

/**
 * Messages are overridden key by key, so only the keys that a language file shares with the package's count. Returns
 * both files reduced to those, as lines; null when there are none or a file is not JSON.
 */
function compareMessages(yours: string, shipped: string): readonly [yours: string, shipped: string] | null {
  const [mine, theirs] = [parseMessages(yours), parseMessages(shipped)];
  if (!mine || !theirs) return null;
  const keys = [...theirs.keys()].filter((key) => mine.has(key));
  const lines = (messages: ReadonlyMap<string, unknown>) =>
    keys.map((key) => `${key}: ${JSON.stringify(messages.get(key))}\n`).join('');
  return keys.length === 0 ? null : [lines(mine), lines(theirs)];
}

function parseMessages(text: string): Map<string, unknown> | null {
  try {
    const messages = new Map<string, unknown>();
    flatten(JSON.parse(text) as Tree, '', messages);
    return messages;
  } catch {
    return null;
  }
}

function flatten(tree: Tree, prefix: string, into: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'object' && value !== null) flatten(value as Tree, `${prefix}${key}.`, into);
    else into.set(prefix + key, value);
  }
}
