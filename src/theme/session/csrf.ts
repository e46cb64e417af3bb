import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { setCookie, type PageRequest } from '../../http/index.js';
import { ForbiddenError } from '../../core/index.js';
import type { WebSessions } from './web-session.js';

export const CSRF_FIELD = '_csrf';

interface CsrfSettings {
  /** Name of the cookie that holds a visitor's token, without `__Host-`. */
  readonly cookie: string;
  readonly sessions: WebSessions;
  readonly key: KeyObject;
  readonly https: boolean;
  /** `https://portal.example`, of the public address. */
  readonly origin: () => string;
}

export interface IssuedToken {
  readonly token: string;
  /** The cookie that must come back with it; null when the session holds the token. */
  readonly cookie: string | null;
}

/**
 * Guards every POST of a page (S42): a token of the session, or for visitors a signed one that cookie and field must both
 * carry, and an `Origin` that is ours.
 */
export class CsrfGuard {
  private readonly cookieName: string;

  constructor(private readonly settings: CsrfSettings) {
    this.cookieName = settings.https ? `__Host-${settings.cookie}` : settings.cookie;
  }

  /** For a page that shows a form. */
  issue(request: PageRequest): IssuedToken {
    const ofSession = this.settings.sessions.csrfToken(request);
    if (ofSession !== null) return { token: ofSession, cookie: null };
    const present = request.cookies.get(this.cookieName);
    if (present !== undefined && this.isSigned(present)) return { token: present, cookie: null };
    const nonce = randomBytes(24).toString('base64url');
    const token = `${nonce}.${this.sign(nonce)}`;
    return { token, cookie: setCookie({ name: this.cookieName, value: token, path: '/' }, this.settings.https) };
  }

  /** @throws ForbiddenError */
  check(request: PageRequest): void {
    this.checkOrigin(request);
    const [sent = ''] = request.form.get(CSRF_FIELD) ?? [];
    const ofSession = this.settings.sessions.csrfToken(request);
    const cookie = request.cookies.get(this.cookieName);
    const expected = ofSession ?? (cookie !== undefined && this.isSigned(cookie) ? cookie : null);
    if (expected === null || !isSame(sent, expected))
      throw new ForbiddenError({ detail: 'the CSRF token is not good' });
  }

  /** For what a browser of another site must not do, though it is no form of ours. @throws ForbiddenError */
  checkOrigin({ headers }: PageRequest): void {
    const site = headers['sec-fetch-site'];
    const origin = headers.origin as string | undefined;
    const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (foreignSite || (origin !== undefined && !this.isOurs(origin, headers.host))) {
      throw new ForbiddenError({ detail: `a form came from ${String(origin ?? site)}` });
    }
  }

  // By any of our allowed names, which the Host check has passed.
  private isOurs(origin: string, host: unknown): boolean {
    const ours = new URL(this.settings.origin());
    return origin === ours.origin || origin === `${ours.protocol}//${String(host)}`;
  }

  private isSigned(token: string): boolean {
    const [nonce = '', signature = ''] = token.split('.');
    return isSame(signature, this.sign(nonce));
  }

  private sign(nonce: string): string {
    return createHmac('sha256', this.settings.key).update(nonce).digest('base64url');
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
