import { createHmac, randomBytes } from 'node:crypto';
import session, { type Session, type SessionData, type Store } from 'express-session';
import type { PageRequest, PageSurface } from '../../http/index.js';
import { ServiceUnavailableError } from '../../core/index.js';
import { isSame } from './same.js';

export interface WebSessionSettings {
  /** Name of the cookie, without `__Host-`. */
  readonly cookie: string;
  readonly store: Store;
  /** Seconds until a session ends in any case. */
  readonly absoluteLifetime: number;
  /** Newest first; the first signs cookies. */
  readonly secrets: readonly [string, ...string[]];
  readonly https: boolean;
  /** The field that holds the id of the account: `theme.sessionKey`. */
  readonly userKey: string;
}

/** The signed-in account, as the session stores it. */
export interface SignedIn {
  readonly userId: number;
  /** The sign-in in `portal_sessions`, which decides whether it is still valid. */
  readonly sid: string;
}

type Data = Session & Partial<SessionData> & Record<string, unknown>;
/** The request; `session` is absent once it was ended. */
type Raw = PageRequest['raw'] & { session?: Data };

/** Browser sessions: only signed-in accounts have one (S41), with a new id at each sign-in and sign-out (S36). */
export class WebSessions {
  readonly middleware: PageSurface['middleware'];
  private readonly name: string;
  private readonly open: (...step: Parameters<PageSurface['middleware'][number]>) => void;
  private readonly faults = new WeakMap<PageRequest['raw'], ServiceUnavailableError>();

  constructor(private readonly settings: WebSessionSettings) {
    const { store, secrets, https, cookie } = settings;
    const name = https ? `__Host-${cookie}` : cookie;
    this.name = name;
    const handler = session({
      name,
      secret: [...secrets],
      store,
      resave: false,
      saveUninitialized: false,
      // Treated as https whatever the last hop uses: the public URL is https, and a cookie must not get lost over it.
      proxy: undefined,
      cookie: { httpOnly: true, secure: https, sameSite: 'lax', path: '/' },
      genid: () => randomBytes(32).toString('base64url'),
    });
    this.open = (request, response, next) => {
      if (https) Object.defineProperty(request, 'secure', { value: true });
      handler(request, response, (error) => {
        // Public pages work without it; pages that need the session report the fault.
        if (error instanceof ServiceUnavailableError) this.faults.set(request, error);
        next(error instanceof ServiceUnavailableError ? undefined : error);
      });
    };
    // Nobody is signed in without a cookie, and showing a page creates no session.
    const isNeeded = ({ method, headers }: PageRequest['raw']) =>
      method === 'POST' || headers.cookie?.includes(`${name}=`);
    this.middleware = [(request, response, next) => (isNeeded(request) ? this.open(request, response, next) : next())];
  }

  /** Seconds until a session ends in any case. */
  get absoluteLifetime(): number {
    return this.settings.absoluteLifetime;
  }

  /** Why the session that a request names could not be read; undefined if it was (R07). */
  faultOf({ raw }: PageRequest): ServiceUnavailableError | undefined {
    return this.faults.get(raw);
  }

  read(request: PageRequest): SignedIn | null {
    return readSignedIn(dataOf(request), this.settings.userKey);
  }

  /**
   * Who is signed in by the cookie that a request for another surface brought. Neither opens nor prolongs the session.
   * @throws ServiceUnavailableError
   */
  async peek({ cookies }: PageRequest): Promise<SignedIn | null> {
    const { store, userKey } = this.settings;
    const id = this.idOf(cookies.get(this.name));
    if (id === null) return null;
    const data = await new Promise<Record<string, unknown> | null>((resolve, reject) => {
      store.get(id, (error: unknown, found) =>
        error instanceof Error ? reject(error) : resolve((found ?? null) as Record<string, unknown> | null),
      );
    });
    return readSignedIn(data ?? {}, userKey);
  }

  /** The id in a signed cookie, as express-session writes it: `s:<id>.<signature>`. */
  private idOf(cookie: string | undefined): string | null {
    const [, id, signature] = /^s:([\w-]{1,100})\.([\w+/]{1,100})$/.exec(decodeCookie(cookie)) ?? [];
    if (id === undefined || signature === undefined) return null;
    const sign = (secret: string) => createHmac('sha256', secret).update(id).digest('base64').split('=', 1)[0] ?? '';
    return this.settings.secrets.some((secret) => isSame(sign(secret), signature)) ? id : null;
  }

  /**
   * Starts a session under a new id. Once this resolves, it is stored.
   * @throws ServiceUnavailableError
   */
  async begin(request: PageRequest, { userId, sid }: SignedIn, csrf = newCsrfToken()): Promise<void> {
    const raw = request.raw as Raw;
    if (!raw.session) await this.openNow(raw);
    try {
      await regenerate(raw);
      Object.assign(dataOf(request), { [this.settings.userKey]: userId, sid, csrf });
      await save(raw);
    } catch (error) {
      // The response then sets no cookie for a session that does not exist.
      delete (raw as { session?: Data }).session;
      throw error;
    }
  }

  /** Moves the session to a new id, after a proof of the password (S36). Forms that are open elsewhere keep working. */
  async renew(request: PageRequest, sid?: string): Promise<void> {
    const signedIn = this.read(request);
    if (!signedIn) return;
    await this.begin(request, { ...signedIn, ...(sid !== undefined && { sid }) }, this.csrfToken(request) ?? undefined);
  }

  async end(request: PageRequest): Promise<void> {
    const { session: present } = request.raw as Raw;
    await new Promise<void>((resolve, reject) => {
      if (!present) return resolve();
      present.destroy((error?: Error) => (error ? reject(error) : resolve()));
    });
  }

  /** For a sign-in that ends with a GET: the return from an identity provider. */
  private openNow(raw: Raw): Promise<void> {
    const { res } = raw as { res?: Parameters<PageSurface['middleware'][number]>[1] };
    if (!res) throw new Error('there is no answer to this request');
    return new Promise((resolve, reject) => {
      this.open(raw, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
  }

  /** Of a signed-in account; null without a session. */
  csrfToken(request: PageRequest): string | null {
    const { csrf } = dataOf(request);
    return typeof csrf === 'string' ? csrf : null;
  }
}

function readSignedIn(data: Record<string, unknown>, userKey: string): SignedIn | null {
  const { [userKey]: userId, sid } = data;
  return typeof userId === 'number' && typeof sid === 'string' ? { userId, sid } : null;
}

/** As sent, it is percent-encoded. */
function decodeCookie(cookie = ''): string {
  try {
    return decodeURIComponent(cookie);
  } catch {
    return '';
  }
}

function newCsrfToken(): string {
  return randomBytes(32).toString('base64url');
}

function dataOf(request: PageRequest): Record<string, unknown> {
  return (request.raw as Raw).session ?? {};
}

function regenerate({ session: present }: Raw): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!present) return reject(new Error('there is no session to begin under a new id'));
    present.regenerate((error?: Error) => (error ? reject(error) : resolve()));
  });
}

/** Saves now rather than after the response: a success page must not be followed by a failure. */
function save({ session: present }: Raw): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!present) return reject(new Error('there is no session to keep'));
    present.save((error?: Error) => (error ? reject(error) : resolve()));
  });
}
