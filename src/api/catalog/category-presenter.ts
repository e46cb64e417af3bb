import type { CategoryRecord } from '../../domain/catalog/index.js';
import { presentThumbnail } from './thumbnail.js';
import { presentTranslations } from './translations.js';

/** @param apiPath path below which the API lives */
export function presentCategory(category: CategoryRecord, apiPath: string) {
  return {
    id: category.id,
    slug: category.slug,
    name: category.name,
    short_description: category.shortDescription,
    description: category.description,
    thumbnail_url: presentThumbnail(category.thumbnailUrl, apiPath),
    products_count: category.productsCount,
    translations: presentTranslations(category.translations),
  };
}

/** A category as admins see it. */
export function presentAdminCategory(category: CategoryRecord, apiPath: string) {
  return { ...presentCategory(category, apiPath), created_at: category.createdAt, updated_at: category.updatedAt };
}
