import { readManifest } from '../../core/manifest.js';
import { writeProject, type WriteReport } from '../init/write-project.js';
import { fingerprint, readRecord, writeRecord } from './publishing-record.js';
import type { ShippedView } from './shipped-templates.js';

/**
 * Copies views into a host's folder and notes which version they came from. What differs there is kept without `force`.
 * @param folder absolute
 * @returns paths below the folder
 */
export async function publishViews(
  folder: string,
  views: readonly ShippedView[],
  force: boolean,
): Promise<WriteReport> {
  const record = await readRecord(folder);
  const report = await writeProject(folder, views, force);
  const kept = new Set(report.kept);
  // A copy that was kept is still one of the version that the record names.
  await noteVersion(
    folder,
    record,
    views.filter(({ path }) => !kept.has(path)),
  );
  return report;
}

/** Notes that the host has seen the present version of these files, and dealt with what is new in them. */
export async function acceptViews(folder: string, views: readonly ShippedView[]): Promise<void> {
  await noteVersion(folder, await readRecord(folder), views);
}

async function noteVersion(
  folder: string,
  record: Awaited<ReturnType<typeof readRecord>>,
  views: readonly ShippedView[],
): Promise<void> {
  const { version } = readManifest();
  const noted = views.flatMap(({ path, text }) => {
    const sha256 = fingerprint(text);
    return record[path]?.sha256 === sha256 ? [] : [[path, { sha256, version }] as const];
  });
  if (noted.length > 0) await writeRecord(folder, { ...record, ...Object.fromEntries(noted) });
}

/** Paths as they are from the project. */
export function reportBelow(prefix: string, report: WriteReport): WriteReport {
  const below = (paths: readonly string[]) => paths.map((path) => `${prefix}/${path}`);
  return {
    written: below(report.written),
    overwritten: below(report.overwritten),
    kept: below(report.kept),
    skipped: below(report.skipped),
  };
}
