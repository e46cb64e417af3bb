import { SLUG } from './products/product.js';

type Reference =
  { readonly column: 'id'; readonly value: number } | { readonly column: 'slug'; readonly value: string };

/** How a record is called by id or slug; slugs begin with a letter, so the two never meet. Null for neither. */
export function byReference(reference: number | string): Reference | null {
  const text = String(reference);
  if (/^[1-9]\d{0,14}$/.test(text)) return { column: 'id', value: Number(text) };
  return SLUG.test(text) ? { column: 'slug', value: text } : null;
}
