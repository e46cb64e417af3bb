import { DeclarationError, NotFoundError } from '../core/index.js';
import { MethodNotAllowedError } from '../http/index.js';
import type { Page } from './page.js';

interface Entry {
  readonly page: Page;
  readonly pattern: readonly string[];
}

export interface Match {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the page of an address. Literal segments win over parameters, so that `/apps/create` is not an app's name. */
export class PageRouter {
  private readonly entries: readonly Entry[];

  /** @throws DeclarationError for two pages at one address */
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
    const fitting = this.entries.filter(({ pattern }) => fits(pattern, segments));
    const least = fitting.length > 0 ? parameters(fitting[0] as Entry) : 0;
    // Only among equally literal addresses: a POST to /apps/create is no POST to an app of that name.
    const best = fitting.filter((entry) => parameters(entry) === least);
    const entry = best.find(({ page }) => page.method === method.toLowerCase());
    if (entry) return { page: entry.page, params: paramsOf(entry.pattern, segments) };
    if (best.length === 0) throw new NotFoundError();
    throw new MethodNotAllowedError(best.map(({ page }) => page.method.toUpperCase()));
  }

  /** Path of the page at an address, as declared; null when there is none. */
  pathOf(method: 'GET' | 'POST', segments: readonly string[]): string | null {
    return this.has(method, segments) ? this.find(method, segments).page.path : null;
  }

  /** Whether there is a page at an address. */
  has(method: 'GET' | 'POST', segments: readonly string[]): boolean {
    return this.entries.some(({ page, pattern }) => page.method === method.toLowerCase() && fits(pattern, segments));
  }
}

/** The same for two pages that answer the same addresses. */
export function shapeOf({ method, path }: Page): string {
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
