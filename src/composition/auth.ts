import type { KeyObject } from 'node:crypto';
import type { PortalServices } from '../api/index.js';
import type { LimitStore } from '../limits/index.js';
import { parseKey, type PortalConfig } from '../config/index.js';
import {
  AccessTokens,
  AccountRepository,
  EmailTokens,
  AccountSecurity,
  Admission,
  AttemptLimits,
  AuthFlow,
  EmailConfirmation,
  endSessionsOnChange,
  Guard,
  JwtKeys,
  KnownDevices,
  PasswordReset,
  RefreshTokenCodec,
  RegistrationService,
  RequestLimits,
  SessionGuard,
  SessionService,
  TokenService,
  unlockOnNewPassword,
  type ApiGuard,
  type AuthContext,
  type AuthFlowInterface,
  type LoginExtensions,
  type TokenServiceInterface,
  type TokenServiceParts,
} from '../domain/auth/index.js';
import { UserAddresses } from '../domain/accounts/index.js';
import { deriveKey } from '../core/index.js';
import type { MailQueue } from '../mail/index.js';
import type { DomainBase } from './base.js';
import {
  requireMethods,
  type ApiGuardParts,
  type HostAuthFlowParts,
  type HostExtensions,
} from '../extend/extensions.js';
import { accountPages } from './mail.js';

interface AuthRoom {
  readonly accounts: PortalServices['accounts'];
  readonly mail: MailQueue;
  readonly limits: LimitStore;
  /** Filled by modules once the services exist. */
  readonly login: LoginExtensions & { flow: AuthFlowInterface | null };
}

export function createAuth(base: DomainBase, { accounts, mail, login, ...room }: AuthRoom): PortalServices['auth'] {
  const { config, extensions, events, clock, address } = base;
  const { portalApi } = config;
  const masters = masterKeys(config);
  const directory = new AccountRepository(accounts.users, accounts.admins);
  const limits = new AttemptLimits(room.limits, config.limits);
  const requestLimits = new RequestLimits(room.limits, config.limits);
  const sessions = new SessionService(base);
  const devices = new KnownDevices({ directory, clock, keys: keysFor('known-devices', masters) });
  const issuer = () => address.base();
  const tokenParts = {
    ...{ ...base, sessions, limits: requestLimits, lifetimes: portalApi },
    accessTokens: new AccessTokens({ clock, keys: new JwtKeys(portalApi), issuer, ttl: portalApi.accessTtl }),
    refreshTokens: new RefreshTokenCodec(masters),
  };
  const tokens = createTokens(extensions, tokenParts);
  const { verifyEmail } = config.accounts;
  const further = { devices, verifyEmail, mail, steps: login.steps };
  const flow = createFlow(extensions, { ...base, directory, limits, tokens, ...further });
  const { users } = accounts;
  const recovery = {
    ...{ ...base, users, mail, limits: requestLimits, attempts: limits, pages: accountPages(base) },
    addresses: new UserAddresses(base),
    links: new EmailTokens(base.database, clock),
  };
  // Resolved late: modules may wrap the flow once the services exist.
  const admission = new Admission(() => services.flow);
  const confirmation = new EmailConfirmation(recovery);
  const passwordReset = new PasswordReset(recovery);
  passwordReset.listen();
  endSessionsOnChange(events, sessions);
  unlockOnNewPassword(events, directory, limits);
  const services: PortalServices['auth'] = {
    get flow() {
      return login.flow ?? flow;
    },
    ...{ tokens, sessions, directory, devices, admission, attempts: limits },
    guard: new Guard({
      ...{ limits: requestLimits, clock, extensions: login },
      guards: createGuards(base, { accounts, sessions, tokens }),
    }),
    registration: new RegistrationService({
      ...{ ...base, users, directory, admission, limits, confirmation, settings: config.accounts },
    }),
    ...{ passwordReset, confirmation },
    security: new AccountSecurity({ ...base, directory, limits, requestLimits, sessions, extensions: login }),
  };
  return services;
}

function masterKeys({ app }: PortalConfig): [Buffer, ...Buffer[]] {
  return [parseKey(app.key), ...app.previousKeys.map(parseKey)];
}

/** Newest first. */
function keysFor(purpose: string, [newest, ...older]: readonly [Buffer, ...Buffer[]]): [KeyObject, ...KeyObject[]] {
  return [deriveKey(newest, purpose), ...older.map((master) => deriveKey(master, purpose))];
}

/** The guards named by `portalApi.guards`; the host's take precedence over the shipped ones. */
function createGuards(
  { config, extensions, database, clock }: DomainBase,
  parts: Pick<ApiGuardParts, 'accounts' | 'sessions' | 'tokens'>,
): Readonly<Record<AuthContext, ApiGuard>> {
  const own = extensions.guards ?? {};
  const create = (context: AuthContext): ApiGuard => {
    const name = config.portalApi.guards[context];
    const standard = new SessionGuard(context, parts);
    const factory = Object.hasOwn(own, name) ? own[name] : undefined;
    if (!factory) return standard;
    const made = factory({ ...parts, context, standard, config, database, clock });
    return requireMethods(`guards.${name}`, made, ['authenticate']);
  };
  return { consumer: create('consumer'), admin: create('admin') };
}

function createTokens({ tokenService }: HostExtensions, parts: TokenServiceParts): TokenServiceInterface {
  if (!tokenService) return new TokenService(parts);
  return requireMethods('tokenService', tokenService(parts), ['issue', 'refresh', 'revoke', 'verify']);
}

function createFlow({ authFlow }: HostExtensions, parts: HostAuthFlowParts): AuthFlowInterface {
  return authFlow ? checkFlow('authFlow', authFlow(parts)) : new AuthFlow(parts);
}

/** @throws DeclarationError if a method of `AuthFlowInterface` is missing */
export function checkFlow(name: string, flow: AuthFlowInterface): AuthFlowInterface {
  return requireMethods(name, flow, [
    ...(['mayRegister', 'authenticate', 'obstacleTo', 'continueLogin', 'completeLogin'] as const),
    ...(['attemptLogin', 'issueForUser', 'refresh', 'logout'] as const),
  ]);
}
