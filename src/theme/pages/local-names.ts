import type { AppView } from '../../domain/apps/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import type { Visit } from '../page.js';

const MOST = 100;

/**
 * App views with product names in the developer's language. A product that is no longer in their catalog keeps the name
 * in the record.
 */
export async function localizeNames<View extends AppView>(
  { services, actor, locale }: Visit<ConsumerActor>,
  views: readonly View[],
): Promise<View[]> {
  const held = views.flatMap(({ products, credentials }) => [
    ...(products ?? []),
    ...(credentials ?? []).flatMap((credential) => credential.products),
  ]);
  const slugs = [...new Set(held.map(({ slug }) => slug))].slice(0, MOST);
  if (locale === services.site.about.defaultLocale) return [...views];
  const names = await productNames({ services, actor, locale }, slugs);
  const rename = <Held extends { readonly slug: string; readonly name: string }>(product: Held): Held => ({
    ...product,
    name: names.get(product.slug) ?? product.name,
  });
  return views.map((view) => ({
    ...view,
    products: view.products?.map(rename) ?? null,
    credentials: view.credentials?.map((key) => ({ ...key, products: key.products.map(rename) })) ?? null,
  }));
}

/** Slug → name in the developer's language, of those products that are in their catalog; at most 100. */
export async function productNames(
  { services, actor, locale }: Pick<Visit<ConsumerActor>, 'services' | 'actor' | 'locale'>,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (slugs.length === 0) return new Map();
  const filters = [{ field: 'slug', operator: 'in', value: slugs.slice(0, MOST) }] as const;
  const query = { page: 1, perPage: MOST, direction: 'ASC', with: [], filters } as const;
  const { items } = await services.catalog.products.list(query, viewerOf(actor), locale);
  return new Map(items.map(({ slug, name }) => [slug, name]));
}
