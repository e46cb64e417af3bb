import { PageResponse } from '../http/index.js';
import type { Page } from './page.js';

const DAY_S = 86_400;

/** What browsers and search engines ask for at the root, whatever the pages say. */
export function rootFiles(prefix: string, pages: readonly Page[]): Readonly<Record<string, PageResponse>> {
  const cached = { 'Cache-Control': `public, max-age=${DAY_S}` };
  return {
    '/robots.txt': new PageResponse(200, robots(prefix, pages), {
      ...cached,
      'Content-Type': 'text/plain; charset=utf-8',
    }),
    '/favicon.ico': new PageResponse(302, '', { ...cached, Location: `${prefix}/assets/favicon.svg` }),
  };
}

/** Keeps account pages out of search engines, above all links from mails. */
function robots(prefix: string, pages: readonly Page[]): string {
  const read = pages.filter(({ method }) => method === 'get');
  const hidden = read.filter(({ audience, path }) => audience !== 'everyone' || path.includes('/:token'));
  const roots = hidden.map(({ path }) => `${prefix}/${path.split('/')[1] ?? ''}`);
  const lines = [...new Set(roots)].sort().map((root) => `Disallow: ${root}`);
  return ['User-agent: *', ...lines, ''].join('\n');
}
