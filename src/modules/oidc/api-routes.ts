import {
  accepted,
  challengeReply,
  defineRoute,
  deviceHeader,
  Joi,
  ok,
  presentTokenPair,
  RawReply,
  refusalError,
  tokenPairReply,
  UnauthenticatedError,
  type AdminActor,
  type AuthContext,
  type ConsumerActor,
  type PortalRoute,
  type PortalServices,
  type RequestInfo,
} from '../../index.js';
import { readCookies, setCookie } from '../../http/index.js';
import { BROWSER_COOKIE, browserCookie } from './transactions.js';
import { requireProvedAddress, type IdentityLinks } from './identity-links.js';
import type { OidcLogin, Proven } from './oidc-login.js';
import type { Provider } from './provider.js';

/** Seconds that a reauthentication is valid for linking an identity. */
const FRESH = 300;

export interface OidcRouteParts {
  readonly login: OidcLogin;
  readonly links: IdentityLinks;
  readonly https: () => boolean;
  /** Default redirect URI of a provider. */
  readonly redirectUri: (provider: Provider) => string;
}

const providerQuery = Joi.object<{ provider?: string }>({
  provider: Joi.string()
    .max(32)
    .example('google')
    .description('Name of a configured provider; the first one when left out.'),
});

type Who = AdminActor | ConsumerActor | null;

interface CallbackBody {
  code: string;
  state: string;
  iss?: string;
}

const callbackBody = Joi.object<CallbackBody>({
  code: Joi.string().max(4_096).required().example('SplxlOBeZQQYbYS6WxSbIA'),
  state: Joi.string().max(512).required().example('v7sK0mX2…'),
  iss: Joi.string()
    .max(2_000)
    .description('As the provider sent it (RFC 9207). Needed where several providers are configured.'),
}).label('OidcCallbackInput');

const redirectReply = Joi.object({
  authorization_url: Joi.string().required().example('https://idp.example.com/authorize?…'),
}).label('OidcRedirect');

/**
 * The two endpoints of a context. A cookie used only by these two binds the flow to the browser that started it (S81); the
 * rest of the API reads no cookies.
 */
export function oidcRoutes(parts: OidcRouteParts, context: AuthContext): readonly PortalRoute[] {
  return [redirectRoute(parts, context), callbackRoute(parts, context)];
}

function shareFacts(context: AuthContext) {
  const isAdmin = context === 'admin';
  const tag = isAdmin ? 'Admin authentication' : 'Authentication';
  // Admins need no session to link an identity: they are matched by their address.
  const auth = isAdmin ? 'none' : 'optional';
  return { context, tag, auth, throttle: 'credentials', query: providerQuery } as const;
}

function cookieOf({ https }: OidcRouteParts, context: AuthContext, { paths }: PortalServices, value: string): string {
  return setCookie(browserCookie(value, `${context === 'admin' ? paths.admin : paths.api}/auth/oidc`), https());
}

function redirectRoute(parts: OidcRouteParts, context: AuthContext): PortalRoute {
  const { login } = parts;
  const isAdmin = context === 'admin';
  return defineRoute({
    ...shareFacts(context),
    method: 'get',
    path: '/auth/oidc/redirect',
    operation: isAdmin ? 'adminOidcRedirect' : 'oidcRedirect',
    errors: isAdmin ? [401, 403, 404, 502, 504] : [401, 403, 404, 409, 502, 504],
    summary: 'Begin to sign in through an identity provider',
    description:
      'The answer is no envelope. Send the browser to `authorization_url`; a cookie of ten minutes binds its return to it.' +
      (isAdmin
        ? ''
        : ' Called by a signed-in developer who has confirmed their address, the identity is linked to that account.'),
    reply: { 200: redirectReply },
    document: { types: ['application/json'] },
    handle: async ({ services, actor, query }) => {
      const linkTo = findLinkingAccount(services, actor);
      const provider = login.provider(context, query.provider);
      const redirectUri = provider.settings.redirectUri ?? parts.redirectUri(provider.settings);
      const way = { context, channel: 'api', redirectUri, linkTo, returnTo: null } as const;
      const { url, browser } = await login.begin(provider, way);
      return new RawReply(200, JSON.stringify({ authorization_url: url }), {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'Set-Cookie': cookieOf(parts, context, services, browser),
      });
    },
  });
}

function callbackRoute(parts: OidcRouteParts, context: AuthContext): PortalRoute {
  const { login, links } = parts;
  return defineRoute({
    ...shareFacts(context),
    method: 'post',
    path: '/auth/oidc/callback',
    device: 'answered',
    operation: context === 'admin' ? 'adminOidcCallback' : 'oidcCallback',
    errors: [401, 403, 404, 409, 502, 504],
    summary: 'End a sign-in through an identity provider and get a token pair',
    description:
      'Takes what the provider added to the address. Answers 202 with a challenge when a factor is asked for.',
    body: callbackBody,
    reply: { 200: tokenPairReply, 202: challengeReply },
    handle: async ({ services, actor, query, body, request }) => {
      const headers = { 'Set-Cookie': cookieOf(parts, context, services, '') };
      const browser = readCookies(request.headers.cookie).get(BROWSER_COOKIE);
      const returned = { ...body, browser, provider: query.provider };
      const proven = await login.prove(returned, { context, channel: 'api' }, request);
      await linkWhenAsked(links, proven, actor, request);
      const outcome = await login.logIn(proven, request);
      if (outcome.kind === 'refused') throw refusalError(outcome);
      if (outcome.kind === 'challenge') return accepted(outcome.data, { message: outcome.message, headers });
      const tokens = await services.auth.flow.issueForUser(outcome.account, request);
      const device = await deviceHeader(services.auth, outcome.account);
      return ok(presentTokenPair(tokens), { message: 'Logged in.', headers: { ...headers, ...device } });
    },
  });
}

async function linkWhenAsked(
  links: IdentityLinks,
  { way, provider, claims }: Proven,
  actor: Who,
  request: RequestInfo,
) {
  if (way.linkTo === null) return;
  if (actor?.context !== 'consumer' || actor.id !== way.linkTo) {
    throw new UnauthenticatedError({ detail: 'another account began to link' });
  }
  await links.addOwn(actor.user, provider.settings, claims, request);
}

/**
 * The developer who links an identity; requires a recent sign-in.
 * @throws UnlinkableIdentityError, ReauthenticationRequiredError
 */
function findLinkingAccount({ auth }: PortalServices, actor: Who): number | null {
  if (actor?.context !== 'consumer') return null;
  requireProvedAddress(actor.user);
  auth.guard.requireRecentSignIn(actor, FRESH);
  return actor.id;
}
