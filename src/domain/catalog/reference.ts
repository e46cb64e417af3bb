import type { SqlValue } from '../../database/index.js';
import { SLUG } from './products/product.js';

interface Reference {
  readonly column: 'id' | 'slug';
  readonly value: SqlValue;
}

/** How a record is called by id or slug; slugs begin with a letter, so the two never meet. Null for neither. */
export function byReference(reference: number | string): Reference | null {
  const text = String(reference);
  if (/^[1-9]\d{0,14}$/.test(text)) return { column: 'id', value: Number(text) };
  return SLUG.test(text) ? { column: 'slug', value: text } : null;
}
