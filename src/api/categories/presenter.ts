import type { CategoryRecord, Translations } from '../../domain/catalog/index.js';

export function presentCategory(category: CategoryRecord) {
  return {
    id: category.id,
    slug: category.slug,
    name: category.name,
    short_description: category.shortDescription,
    description: category.description,
    thumbnail_url: category.thumbnailUrl,
    products_count: category.productsCount,
    translations: presentTranslations(category.translations),
  };
}

function presentTranslations(translations: Translations) {
  return Object.fromEntries(
    Object.entries(translations).map(([locale, { name = null, shortDescription = null, description = null }]) => [
      locale,
      { name, short_description: shortDescription, description },
    ]),
  );
}
