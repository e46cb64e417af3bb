import type { ListPage, ListQuery } from '../../core/index.js';
import type { PageRequest } from '../../http/index.js';

const MAX_PAGE = 1_000;

/** The query of a page's list: its default order, and the requested page number. */
export function pageQuery(request: PageRequest, perPage: number, rest: Partial<ListQuery> = {}): ListQuery {
  const asked = Number(request.query.get('page')?.at(-1));
  const page = Number.isInteger(asked) && asked >= 1 && asked <= MAX_PAGE ? asked : 1;
  return { page, perPage, direction: 'DESC', with: [], filters: [], ...rest };
}

/** URLs of the previous and next page, with the rest of the query unchanged. */
export function pageLinks(request: PageRequest, { page, total, perPage, nextCursor }: ListPage<unknown>) {
  const present = page ?? 1;
  const [path = ''] = request.url.split('?', 1);
  const address = (number: number) => {
    const parameters = new URLSearchParams();
    for (const [name, values] of request.query) if (name !== 'page') parameters.set(name, values.at(-1) ?? '');
    if (number > 1) parameters.set('page', String(number));
    const query = parameters.toString();
    return query === '' ? path : `${path}?${query}`;
  };
  return {
    page: present,
    pages: total === null ? null : Math.max(1, Math.ceil(total / perPage)),
    total,
    previous: present > 1 ? address(present - 1) : null,
    next: nextCursor === null ? null : address(present + 1),
  };
}

/** The query of an address with some parameters changed; null takes one out. Another page of a list begins anew. */
export function withParameters(parameters: URLSearchParams, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams(parameters);
  if (!('page' in changes) && !('cursor' in changes)) for (const name of ['page', 'cursor']) next.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? '' : `?${text}`;
}
