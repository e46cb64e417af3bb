import { SLUG } from './products/product.js';

type Reference =
  { readonly column: 'id'; readonly value: number } | { readonly column: 'slug'; readonly value: string };

/** Parses a reference by id or slug; slugs start with a letter, so the two never collide. Null if it is neither. */
export function byReference(reference: number | string): Reference | null {
  const text = String(reference);
  if (/^[1-9]\d{0,14}$/.test(text)) return { column: 'id', value: Number(text) };
  return SLUG.test(text) ? { column: 'slug', value: text } : null;
}
