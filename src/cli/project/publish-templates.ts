import { readManifest } from '../../core/manifest.js';
import { writeProject, type WriteReport } from './write-project.js';
import { fingerprint, readPublishingRecord, writeRecord } from './publishing-record.js';
import type { ShippedTemplate } from './shipped-templates.js';

/**
 * Copies views into a host's folder and records their version. Files that differ are kept unless `force` is set.
 * @param folder absolute
 * @returns paths below the folder
 */
export async function publishTemplates(
  folder: string,
  views: readonly ShippedTemplate[],
  force: boolean,
): Promise<WriteReport> {
  const record = await readPublishingRecord(folder);
  const report = await writeProject(folder, views, force);
  const kept = new Set(report.kept);
  // A kept copy still belongs to the version on record.
  await noteVersion(
    folder,
    record,
    views.filter(({ path }) => !kept.has(path)),
  );
  return report;
}

/** Records that the host has handled the package's current version of these files. */
export async function acceptTemplates(folder: string, views: readonly ShippedTemplate[]): Promise<void> {
  await noteVersion(folder, await readPublishingRecord(folder), views);
}

async function noteVersion(
  folder: string,
  record: Awaited<ReturnType<typeof readPublishingRecord>>,
  views: readonly ShippedTemplate[],
): Promise<void> {
  const { version } = readManifest();
  const noted = views.flatMap(({ path, text }) => {
    const sha256 = fingerprint(text);
    return record[path]?.sha256 === sha256 ? [] : [[path, { sha256, version }] as const];
  });
  if (noted.length > 0) await writeRecord(folder, { ...record, ...Object.fromEntries(noted) });
}

/** The paths relative to the project. */
export function reportBelow(prefix: string, report: WriteReport): WriteReport {
  const below = (paths: readonly string[]) => paths.map((path) => `${prefix}/${path}`);
  return {
    written: below(report.written),
    overwritten: below(report.overwritten),
    kept: below(report.kept),
    skipped: below(report.skipped),
  };
}
