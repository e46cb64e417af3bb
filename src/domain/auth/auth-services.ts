import type { KeyObject } from 'node:crypto';
import type { Background, Clock, EventBus, Logger } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import type { LimitStore } from '../../limits/index.js';
import type { MailQueue } from '../../mail/index.js';
import { UserAddresses, type AccountServices, type PasswordHasher } from '../accounts/index.js';
import { AccountRepository } from './account-repository.js';
import { AccountSecurity } from './account-security.js';
import type { AuthContext } from './actor.js';
import { Admission } from './admission.js';
import type { AuthFlowParts } from './auth-flow.js';
import type { LimitConfig, TokenConfig } from './config.js';
import type { AccountPages, ApiGuard, AuthFlowInterface, LoginExtensions, TokenServiceInterface } from './contracts.js';
import { EmailConfirmation } from './email-confirmation.js';
import { EmailTokens } from './email-tokens.js';
import { Guard, SessionGuard, type SessionGuardParts } from './guard.js';
import { AttemptLimits } from './attempt-limits.js';
import { KnownDevices } from './known-devices.js';
import type { ServiceTokens } from '../rbac/index.js';
import type { RequestLimits } from './request-limits.js';
import { endSessionsOnChange, unlockOnNewPassword } from './listeners.js';
import { PasswordReset } from './password-reset.js';
import { RegistrationService, type RegistrationSettings } from './registration-service.js';
import { SessionService } from './session-service.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { JwtKeys } from './tokens/jwt-keys.js';
import { RefreshTokenCodec } from './tokens/refresh-token-codec.js';
import type { TokenServiceParts } from './tokens/token-service.js';

export interface AuthServices {
  readonly flow: AuthFlowInterface;
  readonly tokens: TokenServiceInterface;
  readonly sessions: SessionService;
  readonly guard: Guard;
  readonly registration: RegistrationService;
  /** Whether an account may be opened for an address; checked first by every way to sign up. */
  readonly admission: Admission;
  readonly passwordReset: PasswordReset;
  readonly confirmation: EmailConfirmation;
  /** Password change and re-authentication of the signed-in account. */
  readonly security: AccountSecurity;
  /** `unlock` lifts an account's lock. */
  readonly attempts: AttemptLimits;
  /** Devices that have signed in to an account; failed attempts from elsewhere do not lock them out. */
  readonly devices: KnownDevices;
  /** Developers and admins as accounts that sign in. */
  readonly directory: AccountRepository;
}

/** Builders of what a host may replace: its own, or the shipped one. */
export interface AuthBuilders {
  tokens(parts: TokenServiceParts): TokenServiceInterface;
  flow(parts: AuthFlowParts): AuthFlowInterface;
  guard(context: AuthContext, standard: ApiGuard, parts: SessionGuardParts): ApiGuard;
}

interface AuthServicesParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hasher: PasswordHasher;
  readonly config: {
    readonly accounts: RegistrationSettings;
    readonly portalApi: TokenConfig;
    readonly limits: LimitConfig;
  };
  readonly masters: readonly [Buffer, ...Buffer[]];
  /** Keys for one purpose, newest first. */
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]];
  /** The portal's base URL, the issuer of its tokens. */
  readonly address: { base(): string };
  readonly pages: AccountPages;
  readonly accounts: AccountServices;
  readonly mail: MailQueue;
  readonly limitStore: LimitStore;
  readonly requestLimits: RequestLimits;
  /** Accounts of machines, once they are built. */
  serviceTokens(): Pick<ServiceTokens, 'authenticate'>;
  /** Filled by modules once the services exist. */
  readonly login: LoginExtensions & { readonly flow: AuthFlowInterface | null };
}

/** Builds the domain's services and subscribes them to changes of accounts. */
export function createAuthServices(base: AuthServicesParts, build: AuthBuilders): AuthServices {
  const { accounts, events, clock, login, requestLimits } = base;
  const { portalApi, limits: limitConfig, accounts: settings } = base.config;
  const { users, admins } = accounts;
  const directory = new AccountRepository(users, admins);
  const limits = new AttemptLimits(base.limitStore, limitConfig);
  const sessions = new SessionService(base);
  const devices = new KnownDevices({ directory, clock, keys: base.keys('known-devices') });
  const issuer = () => base.address.base();
  const tokens = build.tokens({
    ...{ ...base, sessions, limits: requestLimits, lifetimes: portalApi },
    accessTokens: new AccessTokens({ clock, keys: new JwtKeys(portalApi), issuer, ttl: portalApi.accessTtl }),
    refreshTokens: new RefreshTokenCodec(base.masters),
  });
  const { verifyEmail } = settings;
  const flow = build.flow({ ...base, directory, limits, tokens, devices, verifyEmail, steps: login.steps });
  const recovery = {
    ...{ ...base, users, limits: requestLimits, attempts: limits },
    addresses: new UserAddresses(base),
    emailTokens: new EmailTokens(base.database, clock),
  };
  // Resolved late: modules may wrap the flow once the services exist.
  const admission = new Admission(() => services.flow);
  const confirmation = new EmailConfirmation(recovery);
  const passwordReset = new PasswordReset(recovery);
  passwordReset.listen();
  endSessionsOnChange(events, sessions);
  unlockOnNewPassword(events, directory, limits);
  const guardOf = (context: AuthContext) => {
    const parts = { sessions, tokens };
    return build.guard(context, new SessionGuard(context, parts), parts);
  };
  const services: AuthServices = {
    get flow() {
      return login.flow ?? flow;
    },
    ...{ tokens, sessions, directory, devices, admission, attempts: limits },
    guard: new Guard({
      ...{ limits: requestLimits, clock, extensions: login },
      serviceTokens: () => base.serviceTokens(),
      guards: { consumer: guardOf('consumer'), admin: guardOf('admin') },
    }),
    registration: new RegistrationService({ ...base, users, directory, admission, limits, confirmation, settings }),
    ...{ passwordReset, confirmation },
    security: new AccountSecurity({ ...base, directory, limits, requestLimits, sessions, extensions: login }),
  };
  return services;
}
