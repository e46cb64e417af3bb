import { DeclarationError, NotFoundError } from '../core/index.js';
import { MethodNotAllowedError, PageResponse } from '../http/index.js';
import type { Page } from './page.js';

interface Entry {
  readonly page: Page;
  readonly pattern: readonly string[];
}

export interface Match {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
  /** The address ends with `.md` and means the Markdown of the page. */
  readonly isMarkdown: boolean;
}

/** Address of the Markdown of the first page, which has no name to add `.md` to. */
const FIRST_PAGE = 'index';

/**
 * Finds the page for a path. Literal segments win over parameters, so that `/apps/create` is not the name of an app.
 */
export class PageRouter {
  private readonly entries: readonly Entry[];

  /** @throws DeclarationError for two pages with the same path */
  constructor(pages: readonly Page[]) {
    const seen = new Set<string>();
    for (const page of pages) {
      const { method, path } = page;
      const shape = shapeOf(page);
      if (seen.has(shape)) throw new DeclarationError(`the page ${method.toUpperCase()} ${path} is declared twice.`);
      seen.add(shape);
    }
    this.entries = pages
      .map((page) => ({ page, pattern: page.path.split('/').filter(Boolean) }))
      .sort((a, b) => parameters(a) - parameters(b));
  }

  /** @throws NotFoundError, MethodNotAllowedError */
  find(method: 'GET' | 'POST', segments: readonly string[]): Match {
    const markdown = method === 'GET' ? this.findMarkdown(segments) : null;
    return markdown ?? this.findPage(method, segments);
  }

  // A page whose own path ends with `.md`, or that reads the ending itself, is found by its pattern.
  private findMarkdown(segments: readonly string[]): Match | null {
    const [name, ending] = splitEnding(segments.at(-1) ?? '');
    if (
      ending !== '.md' ||
      this.entries.some(({ page, pattern }) => page.path.endsWith('.md') && fits(pattern, segments))
    )
      return null;
    const isFirst = segments.length === 1 && name === FIRST_PAGE;
    const bare = isFirst ? [] : [...segments.slice(0, -1), name];
    const entry = this.entries.find(({ page, pattern }) => page.markdown !== undefined && fits(pattern, bare));
    return entry ? { page: entry.page, params: paramsOf(entry.pattern, bare), isMarkdown: true } : null;
  }

  private findPage(method: 'GET' | 'POST', segments: readonly string[]): Match {
    const fitting = this.entries.filter(({ pattern }) => fits(pattern, segments));
    const least = fitting.length > 0 ? parameters(fitting[0] as Entry) : 0;
    // Only among equally literal paths: a POST to /apps/create is not a POST to an app of that name.
    const best = fitting.filter((entry) => parameters(entry) === least);
    const entry = best.find(({ page }) => page.method === method.toLowerCase());
    if (entry) return { page: entry.page, params: paramsOf(entry.pattern, segments), isMarkdown: false };
    if (best.length === 0) throw new NotFoundError();
    throw new MethodNotAllowedError(best.map(({ page }) => page.method.toUpperCase()));
  }

  /** Path of the matching page, as declared; null if there is none. */
  pathOf(method: 'GET' | 'POST', segments: readonly string[]): string | null {
    return this.has(method, segments) ? this.find(method, segments).page.path : null;
  }

  /** Whether there is a page for a path. */
  has(method: 'GET' | 'POST', segments: readonly string[]): boolean {
    const isThere = this.entries.some(
      ({ page, pattern }) => page.method === method.toLowerCase() && fits(pattern, segments),
    );
    return isThere || (method === 'GET' && this.findMarkdown(segments) !== null);
  }
}

function splitEnding(segment: string): [name: string, ending: string] {
  return segment.length > 3 && segment.endsWith('.md') ? [segment.slice(0, -3), '.md'] : [segment, ''];
}

/** Equal for two pages that match the same paths. */
function shapeOf({ method, path }: Page): string {
  return `${method} ${path.replace(/:\w+/g, ':')}`;
}

function parameters({ pattern }: Entry): number {
  return pattern.filter((segment) => segment.startsWith(':')).length;
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith(':') || part === segments[index])
  );
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const pairs = pattern.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), segments[index] ?? '']] : [],
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

const DAY_S = 86_400;

/** Files that browsers and search engines request at the root, whatever the pages are. */
export function rootFiles(
  prefix: string,
  pages: readonly Page[],
  unlisted: readonly string[],
): Readonly<Record<string, PageResponse>> {
  const cached = { 'Cache-Control': `public, max-age=${DAY_S}` };
  return {
    '/robots.txt': new PageResponse(200, robots(prefix, pages, unlisted), {
      ...cached,
      'Content-Type': 'text/plain; charset=utf-8',
    }),
    '/sitemap.xml': new PageResponse(302, '', { ...cached, Location: `${prefix}/sitemap.xml` }),
    '/favicon.ico': new PageResponse(302, '', { ...cached, Location: `${prefix}/assets/favicon.svg` }),
  };
}

/** Keeps account pages out of search engines, above all links in mails. */
function robots(prefix: string, pages: readonly Page[], unlisted: readonly string[]): string {
  const read = pages.filter(({ method }) => method === 'get');
  const hidden = read.filter(({ audience, path }) => audience !== 'everyone' || path.includes('/:token'));
  const roots = hidden.map(({ path }) => `${prefix}/${path.split('/')[1] ?? ''}`);
  const others = roots.filter((root) => !unlisted.some((path) => root.startsWith(`${path}/`)));
  const lines = [...new Set([...unlisted, ...others])].sort().map((root) => `Disallow: ${root}`);
  return ['User-agent: *', ...lines, ''].join('\n');
}

const PATH = /^\/[^?#]*$/;

/**
 * The pages of the package and those of the host, which replace pages with the same path.
 * @param declared the result of `pages` in `portal.config.ts`
 * @throws DeclarationError if that is not an array of pages
 */
export function withHostPages(pages: readonly Page[], declared: unknown): readonly Page[] {
  if (!Array.isArray(declared) || !declared.every(isPage)) {
    throw new DeclarationError('pages of portal.config.ts must return an array of what definePage returns.');
  }
  const own = new Map(pages.map((page) => [shapeOf(page), page]));
  const replaced = new Set(declared.map(shapeOf));
  // A page that is exempt from gates stays exempt when it is replaced.
  const kept = declared.map((page) =>
    own.get(shapeOf(page))?.exemptFromGates ? { ...page, exemptFromGates: true as const } : page,
  );
  return [...pages.filter((page) => !replaced.has(shapeOf(page))), ...kept];
}

function isPage(value: unknown): value is Page {
  const { method, path, handle } = (value ?? {}) as Partial<Page>;
  const isAddressed = typeof path === 'string' && PATH.test(path) && (method === 'get' || method === 'post');
  return isAddressed && typeof handle === 'function';
}
