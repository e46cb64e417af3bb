import type { AuthAccount, AuthContext, KnownDevices, SessionService } from '../../domain/auth/index.js';
import type { PageRequest } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { challengeOf } from '../cookies.js';
import type { VisitSession } from '../page.js';
import type { ShownOnce } from './shown-once.js';
import type { WebSessions } from './web-session.js';

/** The browser session together with the account's sign-in; both begin and end together. */
export class BrowserSession implements VisitSession {
  /** Whether a sign-in was opened in this request. */
  hasBegun = false;
  /** Value for the device cookie; null unless an account was authenticated. */
  device: string | null = null;

  constructor(
    private readonly request: PageRequest,
    private readonly context: AuthContext,
    private readonly web: WebSessions,
    private readonly signIns: SessionService,
    private readonly devices: KnownDevices,
    private readonly once: ShownOnce,
  ) {}

  get challenge(): string | null {
    return challengeOf(this.request.cookies);
  }

  async signIn(account: AuthAccount): Promise<void> {
    const { request, web, signIns } = this;
    const opened = { channel: 'theme', lifetime: web.absoluteLifetime, request: request.info } as const;
    const { sid } = await signIns.open(account, opened);
    try {
      await web.begin(request, { userId: account.id, sid });
    } catch (error) {
      await signIns.revoke(account, sid, request.info);
      throw error;
    }
    this.hasBegun = true;
    this.device = await this.devices.issue(account);
  }

  async signOut(): Promise<void> {
    const { request, web, signIns, context } = this;
    const signedIn = web.read(request);
    try {
      if (signedIn) await signIns.revoke({ context, id: signedIn.userId }, signedIn.sid, request.info);
    } catch (error) {
      // Already ended elsewhere, which is the desired result.
      if (!(error instanceof NotFoundError)) throw error;
    }
    await web.end(request);
  }

  takeShown(): Promise<unknown> {
    return this.once.take(this.request);
  }

  async renew(sid?: string): Promise<void> {
    const { request, web, devices, context } = this;
    await web.renew(request, sid);
    const signedIn = web.read(request);
    // The password may have changed, which makes every device unknown.
    if (signedIn) this.device = await devices.issue({ context, id: signedIn.userId });
  }
}
