import type {
  DocumentNote,
  GivenResult,
  DocumentRevision,
  PlannedUpload,
  OwnedProductVersion,
  ProductRecord,
  ProductVersion,
  SpecDiff,
} from '../../domain/catalog/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { UploadQuery } from './version-schema.js';

interface Paths {
  readonly api: string;
  readonly admin: string;
}

/** A version as readers see it. */
export function presentPublicVersion({ slug }: ProductRecord, version: ProductVersion, { api }: Pick<Paths, 'api'>) {
  const { name, state, isDefault, specHash, createdAt, updatedAt } = version;
  return {
    ...{ name, state, is_default: isDefault, has_spec: specHash !== null },
    spec_url: specHash === null ? null : `${api}/api-products/${slug}@${name}/spec`,
    ...{ created_at: createdAt, updated_at: updatedAt },
  };
}

/** A version as admins see it. */
export function presentProductVersion({ product, version }: OwnedProductVersion, paths: Paths) {
  const { created_at, updated_at, spec_url, ...shown } = presentPublicVersion(product, version, paths);
  return {
    ...{ id: version.id, product: nameOf(product), ...shown },
    spec_url: spec_url === null ? null : `${paths.admin}/products/${product.slug}/versions/${version.name}/spec`,
    ...{ created_at, updated_at },
  };
}

function nameOf({ id, slug, name }: ProductRecord) {
  return { id, slug, name };
}

/** @param versions name by id, of the versions of the product */
export function presentDocument(
  product: ProductRecord,
  revision: DocumentRevision,
  versions: ReadonlyMap<number, string>,
) {
  return {
    ...{ id: revision.id, product: nameOf(product) },
    version: revision.versionId === null ? null : (versions.get(revision.versionId) ?? null),
    ...{ hash: revision.hash, previous_hash: revision.beforeHash },
    author: { type: revision.authorType, id: revision.authorId, name: revision.authorName },
    ...{ commit: revision.sourceCommit, source: revision.sourceUrl, reason: revision.reason },
    ...{
      breaking: revision.breaking,
      warnings: revision.warnings,
      infos: revision.infos,
      created_at: revision.createdAt,
    },
  };
}

/** What changed between two documents, in the language of the reader; null where nothing was compared. */
export async function presentSpecChanges({ catalog }: PortalServices, diff: SpecDiff | null, locale: string) {
  if (diff === null) return null;
  const described = await catalog.specWords.describe(diff.changes, locale);
  const { breaking, warning, info } = diff.counts;
  return {
    ...{ breaking, warning, info, more: diff.more, is_complete: diff.isComplete },
    changes: described.map((change) => ({
      ...{ level: change.level, rule: change.id, operation: change.operation, pointer: change.pointer },
      ...{ old: change.old, new: change.new, text: change.text },
    })),
  };
}

/** What became of a document beside the product; nothing of it after a dry run. */
export function presentGiven({ spec }: PlannedUpload, { document = null, entry = null }: Partial<GivenResult> = {}) {
  return {
    document_hash: spec.hash,
    document_id: document?.id ?? null,
    drafted_change: entry && { id: entry.id, name: entry.name },
  };
}

export function readUploadNote({ confirm, reason, commit, source }: UploadQuery): DocumentNote {
  return { isConfirmed: confirm, reason: reason === '' ? undefined : reason, commit, source };
}
