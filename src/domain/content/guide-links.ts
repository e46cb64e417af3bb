import type { GuideKind } from './guide.js';

/** A guide as links and files name it. */
export interface LinkedGuide {
  readonly kind: GuideKind;
  /** Slug; null: of the portal. */
  readonly product: string | null;
  readonly slug: string;
  /** `#keys`, or nothing. */
  readonly anchor: string;
}

const FILE = /^(.*?)(?:\.[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)?\.md(#[^\s]{0,200})?$/;

/**
 * The guide that a link to a Markdown file means, from a guide; null for any other link. Files link as they lie in the
 * folder, and so do guides of the console: `refunds.md`, `../../guides/quickstart.md#keys`.
 */
export function resolveGuideLink(link: string, from: Pick<LinkedGuide, 'kind' | 'product'>): LinkedGuide | null {
  if (link.startsWith('/') || link.includes(':') || link.length > 300) return null;
  const [, path = '', anchor = ''] = FILE.exec(link) ?? [];
  if (path === '') return null;
  const folder = from.product === null ? [from.kind === 'news' ? 'blog' : 'guides'] : ['products', from.product];
  const parts = [...folder];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const [top, first = '', second, ...more] = parts;
  if (more.length > 0) return null;
  if (top === 'guides' && second === undefined) return { kind: 'guide', product: null, slug: first, anchor };
  if (top === 'blog' && second === undefined)
    return { kind: 'news', product: null, slug: first.replace(/^\d{4}-\d{2}-\d{2}-/, ''), anchor };
  if (top === 'products' && second !== undefined) return { kind: 'guide', product: first, slug: second, anchor };
  return null;
}

/** Path of a guide's page below the prefix of the pages. */
export function guidePath({ kind, product, slug }: Omit<LinkedGuide, 'anchor'>): string {
  if (kind === 'news') return `/news/${encodeURIComponent(slug)}`;
  if (product === null) return `/guides/${encodeURIComponent(slug)}`;
  return `/products/${encodeURIComponent(product)}/guides/${encodeURIComponent(slug)}`;
}
