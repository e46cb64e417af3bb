import { DeclarationError } from '../core/index.js';
import { Argon2Hasher, type PasswordHasher } from '../domain/accounts/index.js';
import { AuthFlow, TokenService, type AuthBuilders, type AuthFlowInterface } from '../domain/auth/index.js';
import type { ApiAuthorizer } from '../domain/rbac/index.js';
import { createMailer, type Mailer } from '../mail/index.js';
import type { AuthorizerParts, HostAuthFlowParts, HostExtensions, MailerParts } from './extensions.js';

interface ReplacementParts
  extends Omit<AuthorizerParts, 'rbac'>, Pick<HostAuthFlowParts, 'config' | 'database' | 'mail'> {
  readonly extensions: HostExtensions;
}

export function createHasher({ passwordHasher }: HostExtensions): PasswordHasher {
  if (!passwordHasher) return new Argon2Hasher();
  return requireMethods('passwordHasher', passwordHasher(), ['hash', 'verify', 'verifyNothing']);
}

export function createPortalMailer(base: MailerParts & Pick<ReplacementParts, 'config' | 'extensions'>): Mailer {
  const { mailer } = base.extensions;
  return mailer ? requireMethods('mailer', mailer(base), ['send']) : createMailer(base.config.mail, base);
}

export function createAuthorizer(
  { extensions: { authorizer }, clock, accounts }: Pick<ReplacementParts, 'extensions' | 'clock' | 'accounts'>,
  rbac: AuthorizerParts['rbac'],
): ApiAuthorizer | null {
  return authorizer ? requireMethods('authorizer', authorizer({ clock, accounts, rbac }), ['authorize']) : null;
}

export function authBuilders({ extensions, config, database, clock, mail, accounts }: ReplacementParts): AuthBuilders {
  const { authFlow, tokenService, guards = {} } = extensions;
  return {
    tokens: (parts) => {
      if (!tokenService) return new TokenService(parts);
      return requireMethods('tokenService', tokenService(parts), ['issue', 'refresh', 'revoke', 'verify']);
    },
    flow: (parts) => {
      return authFlow ? checkFlow('authFlow', authFlow({ ...parts, config, database, mail })) : new AuthFlow(parts);
    },
    // The guards named by `portalApi.guards`; the host's take precedence over the shipped ones.
    guard: (context, standard, parts) => {
      const name = config.portalApi.guards[context];
      const factory = Object.hasOwn(guards, name) ? guards[name] : undefined;
      if (!factory) return standard;
      const made = factory({ ...parts, accounts, context, standard, config, database, clock });
      return requireMethods(`guards.${name}`, made, ['authenticate']);
    },
  };
}

/** @throws DeclarationError if a method of `AuthFlowInterface` is missing */
export function checkFlow(name: string, flow: AuthFlowInterface): AuthFlowInterface {
  return requireMethods(name, flow, [
    ...(['mayRegister', 'authenticate', 'obstacleTo', 'continueLogin', 'completeLogin'] as const),
    ...(['attemptLogin', 'issueForUser', 'refresh', 'logout'] as const),
  ]);
}

/**
 * Returns what a host's factory made.
 * @throws DeclarationError when a method is missing: a forgotten `return` must not mean the default
 */
function requireMethods<T extends object>(name: string, made: T, methods: readonly (keyof T & string)[]): T {
  const candidate = made as Partial<T> | null | undefined;
  const missing = methods.filter((method) => typeof candidate?.[method] !== 'function');
  if (missing.length === 0) return made;
  throw new DeclarationError(`${name} of portal.config.ts must return an object with ${missing.join(', ')}.`);
}
