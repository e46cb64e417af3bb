import { addSeconds, latestEnd, UnauthenticatedError, type Clock, type RequestInfo } from '../../core/index.js';
import { SERVICE_TOKEN_PREFIX, type ServiceTokens } from '../rbac/index.js';
import { serviceActor, type AdminActor, type AuthContext, type ConsumerActor } from './actor.js';
import type { ApiGuard, Entrance, GateRefusal, LoginExtensions, TokenServiceInterface } from './contracts.js';
import { ReauthenticationRequiredError } from './errors.js';
import type { RequestLimits } from './request-limits.js';
import type { SessionService } from './session-service.js';

/** Seconds that a proof of the password or a factor counts as recent (S80). */
const RECENT_S = 15 * 60;

export interface SessionGuardParts {
  readonly tokens: TokenServiceInterface;
  readonly sessions: SessionService;
}

/** The built-in guards: access tokens of active sessions. One signature check and one query. */
export class SessionGuard implements ApiGuard {
  constructor(
    private readonly context: AuthContext,
    private readonly parts: SessionGuardParts,
  ) {}

  async authenticate(token: string): Promise<ConsumerActor | AdminActor> {
    const { sid, accountId } = await this.parts.tokens.verify(token, this.context);
    const actor = await this.parts.sessions.authenticate(sid, this.context, 'api');
    if (actor?.id !== accountId) throw new UnauthenticatedError();
    return actor;
  }
}

interface GuardParts {
  /** The guards that `portalApi.guards` names. */
  readonly guards: Readonly<Record<AuthContext, ApiGuard>>;
  /** Looked up on each call: accounts of machines belong to the roles, which are built later. */
  serviceTokens(): Pick<ServiceTokens, 'authenticate'>;
  readonly limits: RequestLimits;
  readonly clock: Clock;
  readonly extensions: Pick<LoginExtensions, 'gates'>;
}

/** Authenticates API requests and limits their rate. */
export class Guard {
  constructor(private readonly parts: GuardParts) {}

  /** @throws UnauthenticatedError, whatever the reason */
  async authenticate(context: AuthContext, token: string, request: RequestInfo): Promise<ConsumerActor | AdminActor> {
    if (token.startsWith(SERVICE_TOKEN_PREFIX)) return this.authenticateService(context, token);
    const actor = await this.parts.guards[context].authenticate(token, request);
    // Whatever a host's guard returns, a developer is never an admin (S61).
    if (actor.context !== context) throw new UnauthenticatedError({ detail: `the guard named no ${context}` });
    return actor;
  }

  // Whatever guards a host has, a machine has admin routes only.
  private async authenticateService(context: AuthContext, token: string): Promise<AdminActor> {
    const account = context === 'admin' ? await this.parts.serviceTokens().authenticate(token) : null;
    if (!account) throw new UnauthenticatedError();
    return serviceActor(account);
  }

  /** @throws TooManyAttemptsError */
  async throttle(limit: 'credentials' | 'tokens', request: RequestInfo): Promise<void> {
    if (limit === 'credentials') await this.parts.limits.countCredentials(request);
    else await this.parts.limits.countTokens(request);
  }

  /** The refusal of the first gate that does not let the account pass. Gates ask people, for a second factor or consent. */
  async refusal(actor: ConsumerActor | AdminActor, entrance: Entrance): Promise<GateRefusal | null> {
    if (actor.context === 'admin' && actor.service) return null;
    for (const gate of this.parts.extensions.gates) {
      const refusal = await gate(actor, entrance);
      if (refusal) return refusal;
    }
    return null;
  }

  /**
   * @param within seconds since the password or a factor was proved
   * @throws ReauthenticationRequiredError for an older proof
   */
  requireRecentSignIn({ authTime }: Pick<ConsumerActor, 'authTime'>, within = RECENT_S): void {
    const now = this.parts.clock.now();
    // A proof ahead of the clock predates a clock correction and would be valid for too long.
    const isOld = addSeconds(authTime, within) < now || authTime > latestEnd(now, 0);
    if (isOld) throw new ReauthenticationRequiredError();
  }
}
