import type {
  AdminProductRecord,
  GatewayCatalogEntry,
  ProductDeprecation,
  ProductRecord,
} from '../../domain/catalog/index.js';
import { presentThumbnail } from './thumbnail.js';
import { presentTranslations } from './translations.js';

/**
 * A product as the public sees it (S57): without audiences and without its gateway id.
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
    workflows_url: product.workflowsHash === null ? null : `${apiPath}/api-products/${product.slug}/workflows`,
    tags: product.tags,
    thumbnail_url: presentThumbnail(product.thumbnailUrl, apiPath),
    custom_attributes: product.customAttributes,
    categories: product.categories.map(({ id, slug, name }) => ({ id, slug, name })),
    deprecation: product.deprecation && presentTerms(product.deprecation),
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  };
}

/** What readers may know of an announced end. */
export function presentTerms(deprecation: ProductDeprecation) {
  const { state, deprecatedAt, sunsetAt, replacementUrl, guideUrl, description } = deprecation;
  const dates = { deprecated_at: deprecatedAt, sunset_at: sunsetAt };
  return { state, ...dates, replacement_url: replacementUrl, guide_url: guideUrl, description };
}

/** A product as admins see it. List parts that were not requested are left out. */
export function presentAdminProduct(
  product: AdminProductRecord,
  { api, admin }: { readonly api: string; readonly admin: string },
  relations: readonly string[] = ['audiences', 'plans', 'translations'],
) {
  const { created_at, updated_at, spec_url, workflows_url, ...shown } = presentProduct(product, api);
  return {
    ...shown,
    // Drafts have no document at the public address.
    spec_url: spec_url === null ? null : `${admin}/products/${product.slug}/spec`,
    workflows_url: workflows_url === null ? null : `${admin}/products/${product.slug}/workflows`,
    gateway_product_id: product.gatewayProductId,
    agents: product.isForAgents,
    ...(relations.includes('audiences') && { audiences: product.audiences.map(({ id, name }) => ({ id, name })) }),
    ...(relations.includes('plans') && presentPlans(product.plans)),
    ...(relations.includes('translations') && { translations: presentTranslations(product.translations) }),
    created_at,
    updated_at,
  };
}

function presentPlans(plans: AdminProductRecord['plans']) {
  return {
    plans: plans.map(({ id, slug, name, status, isDefault }) => ({ id, slug, name, status, is_default: isDefault })),
    default_plan: plans.find(({ isDefault }) => isDefault)?.slug ?? null,
  };
}

export function presentGatewayProduct({ name, displayName, description, product }: GatewayCatalogEntry) {
  return { name, display_name: displayName, description, product };
}
