import type { ProductRecord } from '../../domain/catalog/index.js';

/**
 * A product as everybody sees it (S57): without audiences and without what the gateway calls it.
 * @param apiPath path below which the API lives
 */
export function presentProduct(product: ProductRecord, apiPath: string) {
  const hasSpec = product.specHash !== null;
  return {
    id: product.id,
    slug: product.slug,
    name: product.name,
    short_description: product.shortDescription,
    description: product.description,
    visibility: product.visibility,
    approval: product.approval,
    has_spec: hasSpec,
    spec_url: hasSpec ? `${apiPath}/api-products/${product.slug}/spec` : null,
    tags: product.tags,
    thumbnail_url: product.thumbnailUrl,
    custom_attributes: product.customAttributes,
    categories: product.categories.map(({ id, slug, name }) => ({ id, slug, name })),
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  };
}
