import type { PortalServices } from '../api/index.js';
import { parseKey } from '../config/index.js';
import {
  AccessTokens,
  AccountDirectory,
  AccountLinks,
  AccountSecurity,
  AttemptLimits,
  AuthFlow,
  EmailConfirmation,
  endSessionsOnChange,
  Guard,
  JwtKeys,
  PasswordReset,
  RefreshTokenCodec,
  RegistrationService,
  RequestLimits,
  SessionService,
  TokenService,
  unlockOnNewPassword,
  type AuthFlowInterface,
  type TokenServiceInterface,
} from '../domain/auth/index.js';
import { UserAddresses } from '../domain/accounts/index.js';
import type { MailQueue } from '../mail/index.js';
import type { DomainBase } from './base.js';
import { createLimitStore } from './limits.js';
import { accountPages } from './mail.js';

export function createAuth(
  base: DomainBase,
  accounts: PortalServices['accounts'],
  mail: MailQueue,
): PortalServices['auth'] {
  const { config, extensions, events, clock, address } = base;
  const { portalApi, app } = config;
  const directory = new AccountDirectory(accounts.users, accounts.admins);
  const store = createLimitStore(base);
  const limits = new AttemptLimits(store, config.limits);
  const requestLimits = new RequestLimits(store, config.limits);
  const sessions = new SessionService(base);
  const issuer = () => address.base();
  const tokenParts = {
    ...{ ...base, sessions, limits: requestLimits, lifetimes: portalApi },
    accessTokens: new AccessTokens({ clock, keys: new JwtKeys(portalApi), issuer, ttl: portalApi.accessTtl }),
    refreshTokens: new RefreshTokenCodec([parseKey(app.key), ...app.previousKeys.map(parseKey)]),
  };
  const tokens =
    (extensions.tokenService?.(tokenParts as never) as TokenServiceInterface | undefined) ??
    new TokenService(tokenParts);
  const flowParts = { ...base, directory, limits, tokens, verifyEmail: config.accounts.verifyEmail, steps: [] };
  const flow = (extensions.authFlow?.(flowParts as never) as AuthFlowInterface | undefined) ?? new AuthFlow(flowParts);
  const { users } = accounts;
  const recovery = {
    ...{ ...base, users, mail, limits: requestLimits, pages: accountPages(base) },
    addresses: new UserAddresses(base),
    links: new AccountLinks(base.database, clock),
  };
  const confirmation = new EmailConfirmation(recovery);
  const passwordReset = new PasswordReset(recovery);
  passwordReset.listen();
  endSessionsOnChange(events, sessions);
  unlockOnNewPassword(events, directory, limits);
  return {
    ...{ flow, tokens, sessions, attempts: limits },
    guard: new Guard({ tokens, sessions, limits: requestLimits, clock }),
    registration: new RegistrationService({
      ...{ ...base, users, directory, limits, confirmation, settings: config.accounts },
    }),
    ...{ passwordReset, confirmation },
    security: new AccountSecurity({ ...base, directory, limits, sessions }),
  };
}
