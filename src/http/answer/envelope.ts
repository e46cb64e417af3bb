import type { FieldErrors, ListPage, PortalError } from '../../core/index.js';

export interface PaginationMeta {
  total: number | null;
  count: number;
  per_page: number;
  current_page: number | null;
  total_pages: number | null;
  next_cursor: string | null;
  links: { next: string | null; prev: string | null };
}

export interface SuccessEnvelope {
  success: true;
  status: number;
  message: string;
  data: unknown;
  meta: { pagination: PaginationMeta } | null;
}

export interface ErrorEnvelope {
  success: false;
  status: number;
  message: string;
  errors: FieldErrors;
  meta: null;
}

export function successEnvelope(
  status: number,
  message: string,
  data: unknown,
  meta: SuccessEnvelope['meta'] = null,
): SuccessEnvelope {
  return { success: true, status, message, data, meta };
}

export function errorEnvelope(status: number, message: string, errors: FieldErrors = {}): ErrorEnvelope {
  return { success: false, status, message, errors, meta: null };
}

/** The part of an error that clients may see: a server fault never shows its message (S50). */
export function envelopeOf(error: PortalError): ErrorEnvelope {
  return errorEnvelope(error.status, error.message, error.errors);
}

/**
 * @param url absolute address of this list without its query; built from the configured base, never from `Host` (S47)
 * @param query the query as sent, so that the links keep filters and order
 */
export function paginationMeta(page: ListPage<unknown>, url: string, query: Record<string, unknown>): PaginationMeta {
  const totalPages = page.total === null ? null : Math.max(1, Math.ceil(page.total / page.perPage));
  const link = (changes: Record<string, string | undefined>): string => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, ...changes })) {
      if (typeof value === 'string') parameters.set(name, value);
    }
    return `${url}?${parameters.toString()}`;
  };
  const next =
    page.page === null
      ? page.nextCursor && link({ cursor: page.nextCursor, page: undefined })
      : page.nextCursor && link({ page: String(page.page + 1), cursor: undefined });
  const prev = page.page !== null && page.page > 1 ? link({ page: String(page.page - 1) }) : null;
  return {
    total: page.total,
    count: page.items.length,
    per_page: page.perPage,
    current_page: page.page,
    total_pages: totalPages,
    next_cursor: page.nextCursor,
    links: { next: next || null, prev },
  };
}
