import { randomBytes } from 'node:crypto';
import session, { type Session, type SessionData } from 'express-session';
import type { PageRequest, PageSurface } from '../../http/index.js';
import type { Clock } from '../../kernel/index.js';
import { SessionStore, type SessionLifetime, type SessionRows } from './session-store.js';

export interface WebSessionSettings {
  readonly rows: SessionRows;
  readonly lifetime: SessionLifetime;
  readonly clock: Clock;
  /** Newest first; the first signs cookies. */
  readonly secrets: readonly [string, ...string[]];
  readonly https: boolean;
  /** `theme.sessionKey`: the field that holds the id of the developer. */
  readonly userKey: string;
}

/** What a session says of who is signed in. */
export interface SignedIn {
  readonly userId: number;
  /** The sign-in in `portal_sessions`, which decides whether this still holds. */
  readonly sid: string;
}

type Data = Session & Partial<SessionData> & Record<string, unknown>;
type Raw = PageRequest['raw'] & { session: Data };

/** Browser sessions: only signed-in developers have one (S41), with a new id at each sign-in and sign-out (S36). */
export class WebSessions {
  readonly middleware: PageSurface['middleware'];

  constructor(private readonly settings: WebSessionSettings) {
    const { rows, lifetime, clock, secrets, https } = settings;
    const handler = session({
      name: https ? '__Host-portal' : 'portal',
      secret: [...secrets],
      store: new SessionStore(rows, lifetime, clock),
      resave: false,
      saveUninitialized: false,
      // Seen as https whatever the last hop speaks: the public address says so, and a cookie must not get lost for it.
      proxy: undefined,
      cookie: { httpOnly: true, secure: https, sameSite: 'lax', path: '/' },
      genid: () => randomBytes(32).toString('base64url'),
    });
    this.middleware = [
      (request, response, next) => {
        if (https) Object.defineProperty(request, 'secure', { value: true });
        handler(request, response, next);
      },
    ];
  }

  read(request: PageRequest): SignedIn | null {
    const data = (request.raw as Raw).session;
    const userId = data[this.settings.userKey];
    const { sid } = data;
    return typeof userId === 'number' && typeof sid === 'string' ? { userId, sid } : null;
  }

  /** Begins a session under a new id. */
  async begin(request: PageRequest, { userId, sid }: SignedIn): Promise<void> {
    const raw = request.raw as Raw;
    await regenerate(raw);
    raw.session[this.settings.userKey] = userId;
    raw.session.sid = sid;
    raw.session.csrf = randomBytes(32).toString('base64url');
  }

  async end(request: PageRequest): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      (request.raw as Raw).session.destroy((error?: unknown) => (error ? reject(error as Error) : resolve()));
    });
  }

  /** Of a signed-in developer; null without a session. */
  csrfToken(request: PageRequest): string | null {
    const { csrf } = (request.raw as Raw).session;
    return typeof csrf === 'string' ? csrf : null;
  }
}

function regenerate(raw: Raw): Promise<void> {
  return new Promise((resolve, reject) => {
    raw.session.regenerate((error?: unknown) => (error ? reject(error as Error) : resolve()));
  });
}
