import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { setCookie, type PageRequest } from '../../http/index.js';
import { ForbiddenError } from '../../core/index.js';
import { isSame } from './same.js';
import type { WebSessions } from './web-session.js';

export const CSRF_FIELD = '_csrf';

interface CsrfSettings {
  /** Name of the cookie that holds a visitor's token, without `__Host-`. */
  readonly cookie: string;
  readonly sessions: WebSessions;
  readonly key: KeyObject;
  readonly https: boolean;
  /** Origin of the public URL: `https://portal.example`. */
  readonly origin: () => string;
}

export interface IssuedToken {
  readonly token: string;
  /** The cookie that must be sent with it; null if the session holds the token. */
  readonly cookie: string | null;
}

/**
 * Guards every POST of a page (S42): requires the token of the session, or for visitors a signed one in both cookie and
 * field, and an `Origin` of ours.
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

  /**
   * For the pages of a view as a developer: worth nothing outside of this view, so that a form which it left open does
   * nothing for somebody who is signed in here in another way.
   */
  issueInView(view: number): string {
    return this.sign(`view ${view}`);
  }

  /** @throws ForbiddenError */
  checkInView(request: PageRequest, view: number): void {
    this.checkOrigin(request);
    const [sent = ''] = request.form.get(CSRF_FIELD) ?? [];
    if (!isSame(sent, this.issueInView(view))) throw new ForbiddenError({ detail: 'the CSRF token is not good' });
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

  /**
   * For requests other than our forms that another site must not be able to trigger.
   * @throws ForbiddenError
   */
  checkOrigin({ headers }: PageRequest): void {
    const site = headers['sec-fetch-site'];
    const origin = headers.origin as string | undefined;
    const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (foreignSite || (origin !== undefined && !this.isOurs(origin, headers.host))) {
      throw new ForbiddenError({ detail: `a form came from ${String(origin ?? site)}` });
    }
  }

  // Any of our allowed names, as checked by the Host check.
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
