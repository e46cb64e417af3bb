import {
  AccountNotActiveError,
  challengePage,
  definePage,
  ForbiddenError,
  Redirect,
  refusalError,
  RegistrationRefusedError,
  returnPath,
  View,
  type AuthContext,
  type AuthenticationOutcome,
  type ConsumerActor,
  type Page,
  type Visit,
} from '../../index.js';
import { BROWSER_COOKIE, browserCookie } from './transactions.js';
import { InvalidStateError, RefusedIdentityError, UnlinkableIdentityError } from './errors.js';
import type { IdentityProvider } from './identity-provider.js';
import type { OidcLogin, Proven } from './oidc-login.js';
import type { Provider } from './provider.js';
import { confirmView, type PendingLinks } from './pending-links.js';

type Anyone = Visit<ConsumerActor | null>;

export interface SignInPageParts {
  readonly login: OidcLogin;
  readonly pending: PendingLinks;
  /** Of developers in the theme, of admins in the console. */
  readonly context: AuthContext;
  readonly redirectUri: (provider: Provider) => string;
}

/**
 * Redirects to the provider and back. A signed-in developer links the identity instead of signing in; admins are linked at
 * their first sign-in, by their address.
 */
export function providerSignInPages({ login, pending, redirectUri, context }: SignInPageParts): readonly Page[] {
  const at = { context, channel: 'theme' } as const;
  const common = { audience: context === 'admin' ? 'guests' : 'everyone', method: 'get' } as const;

  const begin = async (visit: Anyone, provider: IdentityProvider) => {
    await visit.services.auth.guard.throttle('credentials', visit.request.info);
    const linkTo = visit.actor?.id ?? null;
    const way = { ...at, redirectUri: redirectUri(provider.settings), linkTo, returnTo: returnPath(visit) };
    const { url, browser } = await login.begin(provider, way);
    return new Redirect(url, undefined, { external: true, cookies: [browserCookie(browser, cookiePath(visit))] });
  };

  const finish = async (visit: Anyone): Promise<View | Redirect> => {
    const { request, params, services } = visit;
    await services.auth.guard.throttle('credentials', request.info);
    const one = (name: string) => {
      const values = request.query.get(name) ?? [];
      return values.length === 1 ? values[0] : undefined;
    };
    const [code, state, browser] = [one('code'), one('state'), request.cookies.get(BROWSER_COOKIE)];
    if (state === undefined) throw new InvalidStateError();
    if (code === undefined) {
      // The visitor or the provider declined.
      await login.abandon({ state, browser }, at);
      return showFailure(visit, 'denied');
    }
    const { provider = '' } = params;
    const proven = await login.prove({ code, state, iss: one('iss'), browser, provider }, at, request.info);
    if (proven.way.linkTo !== null) return confirmLink(visit, proven, pending);
    return proceed(visit, await login.logIn(proven, request.info), proven.way.returnTo);
  };

  return [
    definePage({
      ...common,
      path: '/login/oidc/:provider',
      handle: (visit) => {
        const provider = login.provider(context, visit.params.provider);
        // Refused before the redirect to the provider, not after it.
        const isUnproved = visit.actor?.user.emailVerifiedAt === null;
        return isUnproved ? Promise.resolve(showFailure(visit, 'unproved-address')) : begin(visit, provider);
      },
    }),
    definePage({
      ...common,
      path: '/login/oidc/:provider/callback',
      handle: async (visit) => {
        // Throws NotFoundError for an unknown provider.
        login.provider(context, visit.params.provider);
        try {
          return await finish(visit);
        } catch (error) {
          if (error instanceof RegistrationRefusedError) return showFailure(visit, 'not-welcome', error.sentence);
          const reason = reasonOf(error);
          if (reason === null) throw error;
          return showFailure(visit, reason);
        }
      },
    }),
  ];
}

// Asks for confirmation: the browser may be signed in at the provider as somebody else.
function confirmLink({ actor }: Anyone, { way, provider, claims }: Proven, pending: PendingLinks): View {
  if (actor?.id !== way.linkTo) throw new InvalidStateError();
  const token = pending.keep(actor.id, provider.settings.name, claims);
  return confirmView(token, provider.settings.label, claims);
}

async function proceed(visit: Anyone, outcome: AuthenticationOutcome, returnTo: string | null): Promise<Redirect> {
  if (outcome.kind === 'refused') throw refusalError(outcome);
  if (outcome.kind === 'challenge') {
    const next = challengePage(visit, outcome);
    if (!next) throw new ForbiddenError({ detail: 'the further step of the login has no page' });
    const back = returnTo === null ? '' : `?return_to=${encodeURIComponent(visit.prefix + returnTo)}`;
    return new Redirect(next.path + back, next.flash, {
      cookies: [...(next.options.cookies ?? []), clearCookie(visit)],
    });
  }
  await visit.session.signIn(outcome.account);
  return new Redirect(returnTo ?? visit.home, undefined, { cookies: [clearCookie(visit)] });
}

/** The reason in the messages `oidc.refused.<reason>`; null for unrelated errors. */
function reasonOf(error: unknown): string | null {
  if (error instanceof InvalidStateError) return 'over';
  if (error instanceof UnlinkableIdentityError) return error.reason;
  if (error instanceof RefusedIdentityError) return 'identity';
  if (error instanceof AccountNotActiveError) return 'pending';
  return error instanceof ForbiddenError ? 'forbidden' : null;
}

/** @param sentence reason given by a host's rule */
function showFailure(visit: Anyone, reason: string, sentence?: string): View {
  const [status, isGuest] = [reason === 'denied' ? 200 : (STATUS[reason] ?? 403), visit.actor === null];
  const [canConfirm, canReset] = [reason === 'unproved-address', reason === 'unverified-account' && isGuest];
  const title = isGuest ? 'oidc-refused.title' : 'oidc-refused.unlinked';
  return new View('oidc-refused', { title, reason, sentence, isGuest, canConfirm, canReset }, { status, title });
}

const STATUS: Readonly<Record<string, number>> = {
  over: 422,
  'not-welcome': 422,
  identity: 401,
  'unverified-email': 409,
  'unverified-account': 409,
  'unproved-address': 409,
  'linked-elsewhere': 409,
};

function cookiePath({ prefix }: Anyone): string {
  return `${prefix}/login/oidc`;
}

function clearCookie(visit: Anyone) {
  return browserCookie('', cookiePath(visit));
}
