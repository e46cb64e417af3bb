import { fullName } from '../../domain/accounts/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { PageRequest } from '../../http/index.js';
import { viewTokenOf } from '../cookies.js';
import { ViewingError } from '../failure.js';
import type { Viewing, VisitSession } from '../page.js';
import type { WebSessions } from './web-session.js';

export interface ViewerParts {
  readonly services: Pick<PortalServices, 'auth' | 'console' | 'clock'>;
  /** Of the console: a view rests on the sign-in there, in the same browser. */
  readonly sessions: Pick<WebSessions, 'peek'>;
  /** `/admin` */
  readonly prefix: string;
  /** Whether the client may see the console at all. */
  readonly isAllowed: (request: PageRequest) => boolean;
}

/** Never that of a sign-in. */
const NO_SID = '';
const LONGEST_TOKEN = 100;

/** Finds the view that a request belongs to. */
export class AdminViews {
  constructor(private readonly parts: ViewerParts) {}

  /** @returns null without a view; `over` for one that has ended, or whose admin is not signed in here */
  async read(request: PageRequest): Promise<Viewing | 'over' | null> {
    const token = viewTokenOf(request.cookies);
    if (token === null) return null;
    return (await this.find(token, request)) ?? 'over';
  }

  private async find(token: string, request: PageRequest): Promise<Viewing | null> {
    const { services, sessions, prefix, isAllowed } = this.parts;
    if (token.length > LONGEST_TOKEN || !isAllowed(request)) return null;
    const signedIn = await sessions.peek(request);
    const admin = signedIn && (await services.auth.sessions.findAdmin(signedIn.sid));
    if (admin?.id !== signedIn?.userId || !admin) return null;
    const found = await services.console.developerViews.find(token, admin.id);
    if (!found) return null;
    const { view, user } = found;
    const nothing = { sid: NO_SID, channel: 'theme', authTime: new Date(0) } as const;
    const left = view.endsAt.getTime() - services.clock.now().getTime();
    return {
      ...{ view, admin, back: `${prefix}/users/${user.id}` },
      actor: { context: 'consumer', id: user.id, user, ...nothing },
      banner: { developer: fullName(user), admin: admin.admin.name, minutes: Math.ceil(left / 60_000) },
    };
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new ViewingError('viewing'));
}

/** The browser session of a view: it reads nothing, and begins, renews or ends no sign-in. */
export const viewedSession: VisitSession = {
  challenge: null,
  signIn: refuse,
  signOut: refuse,
  renew: refuse,
  takeShown: () => Promise.resolve(undefined),
};
