import { DeclarationError } from '../core/index.js';
import type { Page } from './page.js';
import { shapeOf } from './router.js';

const PATH = /^\/[^?#]*$/;

/**
 * The pages of the package and those of the host, which win at the same address.
 * @param declared what `pages` of `portal.config.ts` returned
 * @throws DeclarationError when that is not an array of pages
 */
export function withHostPages(pages: readonly Page[], declared: unknown): readonly Page[] {
  if (!Array.isArray(declared) || !declared.every(isPage)) {
    throw new DeclarationError('pages of portal.config.ts must return an array of what definePage returns.');
  }
  const own = new Map(pages.map((page) => [shapeOf(page), page]));
  const replaced = new Set(declared.map(shapeOf));
  // The way out of a gate stays one, whatever it looks like now.
  const kept = declared.map((page) => (own.get(shapeOf(page))?.leadsOut ? { ...page, leadsOut: true as const } : page));
  return [...pages.filter((page) => !replaced.has(shapeOf(page))), ...kept];
}

function isPage(value: unknown): value is Page {
  const { method, path, handle } = (value ?? {}) as Partial<Page>;
  const isAddressed = typeof path === 'string' && PATH.test(path) && (method === 'get' || method === 'post');
  return isAddressed && typeof handle === 'function';
}
