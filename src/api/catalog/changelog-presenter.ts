import type { ChangelogEntryRow, OwnedEntry, PublishedEntry } from '../../domain/catalog/index.js';
import { presentTranslations } from './translations.js';

/** An entry as the readers of its product see it. */
export function presentPublishedEntry(entry: PublishedEntry) {
  return { ...textsOf(entry), published_at: entry.publishedAt, updated_at: entry.updatedAt };
}

/** An entry as admins see it. List parts that were not requested are left out. */
export function presentEntry({ product, entry }: OwnedEntry, relations: readonly string[] = ['translations']) {
  return {
    ...textsOf(entry),
    product: { id: product.id, slug: product.slug, name: product.name },
    status: entry.status,
    published_at: entry.publishedAt,
    ...(relations.includes('translations') && { translations: presentTranslations(entry.translations) }),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  };
}

function textsOf({ id, kind, version, name, shortDescription, description }: ChangelogEntryRow) {
  return { id, kind, version, name, short_description: shortDescription, description };
}
