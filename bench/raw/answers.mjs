import { randomUUID } from 'node:crypto';

/** The headers of the portal's answers: they are work that a careful engineer does too. */
export function answerHeaders(_request, response, next) {
  response.setHeader('X-Request-Id', randomUUID());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
  next();
}

export function sendData(response, data, message = '', meta = null) {
  response.json({ success: true, status: 200, message, data, meta });
}

export function sendError(response, status, message) {
  response.status(status).json({ success: false, status, message, errors: {}, meta: null });
}

/** `2026-11-21 10:11:12.345`, on SQLite followed by ` +00:00`, as it goes over the wire. */
export function iso(text) {
  return text === null ? null : `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
}

/** mysql2 parses JSON columns itself; SQLite gives text. */
export function json(value) {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

export const PER_PAGE = 15;

/** What the query asks for: a page by number, or the rows after a cursor. */
export function pageOf({ page, cursor }) {
  if (cursor === undefined) return { page: Math.min(10_000, Math.max(1, Number(page) || 1)), after: null };
  return { page: null, after: JSON.parse(Buffer.from(cursor, 'base64url').toString()) };
}

/** @param rows one more than a page when there is a next one, each with `id` and `created_at` */
export function paginationMeta(base, { page }, rows, total) {
  const count = Math.min(rows.length, PER_PAGE);
  const more = rows.length > PER_PAGE;
  const last = rows[count - 1];
  const cursor = more
    ? Buffer.from(JSON.stringify([last.created_at.slice(0, 23), last.id])).toString('base64url')
    : null;
  const next = more ? `${base}?${page === null ? `cursor=${cursor}` : `page=${page + 1}`}` : null;
  return {
    pagination: {
      total,
      count,
      per_page: PER_PAGE,
      current_page: page,
      total_pages: total === null ? null : Math.max(1, Math.ceil(total / PER_PAGE)),
      next_cursor: cursor,
      links: { next, prev: page !== null && page > 1 ? `${base}?page=${page - 1}` : null },
    },
  };
}
