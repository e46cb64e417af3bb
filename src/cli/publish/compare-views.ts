import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, readRecord, type RecordedFile } from './publishing-record.js';
import { shippedViews, type ShippedView } from './shipped-views.js';

/**
 * How a published file stands to the package's:
 * - `same`: as the package has it
 * - `yours`: you changed it, the package did not
 * - `outdated`: the package changed it since, you did not
 * - `both`: you changed it, and so did the package
 * - `unknown`: differs, and nothing says which version it came from
 * - `gone`: published once, but the package no longer has such a file
 */
export type ViewState = 'same' | 'yours' | 'outdated' | 'both' | 'unknown' | 'gone';

export interface ComparedView {
  readonly path: string;
  readonly state: ViewState;
  /** Version of the package it was copied from; null when nothing says so. */
  readonly publishedFrom: string | null;
  readonly yours: string;
  /** The package's present file; null when it has none. */
  readonly shipped: string | null;
}

/** States in which the package has something that the host may not know of. */
export const NEWS: ReadonlySet<ViewState> = new Set(['outdated', 'both', 'gone']);

/** Every file of a host's folder that stands for one of the package's; a host's own further files are its own matter. */
export async function compareViews(folder: string): Promise<ComparedView[]> {
  const [shipped, record] = await Promise.all([shippedViews(), readRecord(folder)]);
  const names = new Set(shipped.map(({ path }) => path));
  const former = Object.keys(record).filter((path) => !names.has(path));
  const files: readonly (ShippedView | { path: string; text: null })[] = [
    ...shipped,
    ...former.map((path) => ({ path, text: null })),
  ];
  const compared = await Promise.all(
    files.map(async ({ path, text }) => {
      const yours = await readFile(join(folder, path), 'utf8').catch(() => null);
      if (yours === null) return null;
      const origin = record[path];
      const state = stateOf(yours, text, origin);
      return { path, state, publishedFrom: origin?.version ?? null, yours, shipped: text } satisfies ComparedView;
    }),
  );
  return compared.filter((view) => view !== null).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function stateOf(yours: string, shipped: string | null, origin: RecordedFile | undefined): ViewState {
  if (shipped === null) return 'gone';
  const [mine, theirs] = [fingerprint(yours), fingerprint(shipped)];
  if (mine === theirs) return 'same';
  if (!origin) return 'unknown';
  if (origin.sha256 === theirs) return 'yours';
  return origin.sha256 === mine ? 'outdated' : 'both';
}
