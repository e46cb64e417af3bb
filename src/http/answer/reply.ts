import type { ListPage } from '../../core/index.js';

export interface ReplyOptions {
  message?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A response that is more than 200 with data. A handler may also just return its data. */
export class Reply {
  constructor(
    readonly status: number,
    readonly data: unknown,
    readonly options: ReplyOptions = {},
  ) {}
}

/** One page of a list; the assembly adds `meta.pagination`. */
export class PageReply {
  constructor(readonly page: ListPage<unknown>) {}
}

/**
 * The answer for everyone who is not signed in. Rendered once per source object, which is replaced when it changes, and
 * not resent to clients that have it. For routes that declare `shared`.
 */
export class SharedReply {
  constructor(
    readonly source: object,
    readonly make: () => Reply | PageReply,
  ) {}
}

/** A body without the envelope: an OpenAPI document, a CSV, the decision of the verify endpoint. */
export class RawReply {
  constructor(
    readonly status: number,
    readonly body: string | Buffer,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/**
 * A body that is produced while it is sent, at the pace of the client. An error before the first piece is an ordinary
 * error response; afterwards the connection is cut, so that nobody mistakes a part for the whole.
 */
export class StreamReply {
  constructor(
    readonly body: AsyncIterable<string | Buffer>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

export const ok = (data: unknown, options?: ReplyOptions): Reply => new Reply(200, data, options);
export const created = (data: unknown, options?: ReplyOptions): Reply => new Reply(201, data, options);
export const accepted = (data: unknown, options?: ReplyOptions): Reply => new Reply(202, data, options);
export const shared = (source: object, make: () => Reply | PageReply): SharedReply => new SharedReply(source, make);
export const paginated = (page: ListPage<unknown>): PageReply => new PageReply(page);
