import type { PageRequest } from '../../http/index.js';
import { challengeOf } from '../cookies.js';
import type { WebSessions } from './web-session.js';

/** Store of values between a form and the page that it leads to. */
export interface OneTimeStore {
  keep(value: string, owner: string): Promise<string>;
  /** @returns null if it was taken, has expired, or belongs to somebody else */
  take(token: string, owner: string): Promise<string | null>;
}

const PARAMETER = 'once';
/** Matches a token of the store, and more. */
const LONGEST = 64;

/**
 * A value that a form leaves for the next page, shown there once. It stays on the server; the URL carries a token that
 * only this sign-in can use, on this page, once. Each form has its own token, so that tabs do not interfere.
 */
export class ShownOnce {
  constructor(
    private readonly store: OneTimeStore,
    private readonly sessions: Pick<WebSessions, 'read'>,
  ) {}

  /**
   * @param path below the prefix.
   * @returns the same path with the token
   */
  async leave(request: PageRequest, path: string, value: unknown): Promise<string> {
    const url = new URL(path, 'http://portal');
    const owner = this.ownerOf(request, url.pathname.split('/').filter(Boolean).map(decodeURIComponent));
    if (owner === null) throw new Error(`nobody is signed in to whom ${url.pathname} could show something once`);
    url.searchParams.set(PARAMETER, await this.store.keep(JSON.stringify(value), owner));
    return url.pathname + url.search;
  }

  /** @returns undefined if nothing was left, or not for this visit */
  async take(request: PageRequest): Promise<unknown> {
    const token = request.query.get(PARAMETER)?.at(-1);
    const owner = this.ownerOf(request, request.segments);
    // A HEAD request would consume the value without showing it.
    const isShown = request.raw.method === 'GET' && token !== undefined && token.length <= LONGEST;
    if (!isShown || owner === null) return undefined;
    const value = await this.store.take(token, owner);
    return value === null ? undefined : (JSON.parse(value) as unknown);
  }

  // During a login, a visitor is identified by the challenge alone.
  private ownerOf(request: PageRequest, segments: readonly string[]): string | null {
    const owner = this.sessions.read(request)?.sid ?? challengeOf(request.cookies);
    return owner === null ? null : `${owner}\n${segments.join('/')}`;
  }
}
