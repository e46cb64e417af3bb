import Joi from 'joi';
import {
  registrationRefusal,
  refusalError,
  type AuthContext,
  type RegistrationOutcome,
} from '../../domain/auth/index.js';
import { accepted, created, ok, OWN_ACCOUNT } from '../../http/index.js';
import type { RequestInfo } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import type { PortalServices } from '../../domain/services.js';
import { deviceHeader, deviceOf, presentTokenPair } from './sign-in-presenter.js';
import { recoveryRoutes } from './recovery-routes.js';
import { challengeReply, loginBody, refreshTokenBody, registerBody, tokenPairReply } from './sign-in-schema.js';

const register = defineRoute({
  method: 'post',
  path: '/auth/register',
  context: 'consumer',
  auth: 'none',
  throttle: 'credentials',
  tag: 'Authentication',
  operation: 'register',
  errors: [403],
  localized: true,
  summary: 'Sign up as a developer and get a token pair',
  description:
    'Answers 202 without tokens when the address must be confirmed by mail first, the same for a taken one, or when ' +
    'an admin must let new accounts in; 202 with a challenge when something else must be proved first.',
  idempotent: ({ email }) => email.toLowerCase(),
  device: 'answered',
  body: registerBody,
  reply: { 201: tokenPairReply, 202: Joi.alternatives(emptyReply, challengeReply) },
  handle: async ({ services, body, request, locale }) => {
    const { first_name: firstName, last_name: lastName, email, password } = body;
    const input = { firstName, lastName, email, password, locale };
    return replyToRegistration(await services.auth.registration.register(input, request), services, request);
  },
});

async function replyToRegistration(outcome: RegistrationOutcome, { auth }: PortalServices, request: RequestInfo) {
  if (outcome.kind === 'check-email') return accepted({}, { message: 'Check your e-mail.' });
  if (outcome.kind === 'awaiting-approval') return accepted({}, { message: 'Account pending approval.' });
  const obstacle = await auth.flow.obstacleTo(outcome.account, request);
  if (obstacle?.kind === 'challenge') return accepted(obstacle.data, { message: obstacle.message });
  if (obstacle) throw registrationRefusal(obstacle);
  const tokens = await auth.flow.issueForUser(outcome.account, request);
  const headers = await deviceHeader(auth, outcome.account);
  return created(presentTokenPair(tokens), { message: 'Registered.', headers });
}

/** `login` → `adminLogin` in the admin context. */
function operationIn(context: AuthContext, name: string): string {
  return context === 'admin' ? `admin${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}

const shareFacts = (context: AuthContext) => {
  const tag = context === 'admin' ? 'Admin authentication' : 'Authentication';
  return { method: 'post', context, tag } as const;
};

function loginRoute(context: AuthContext) {
  const who = context === 'admin' ? 'an admin' : 'a developer';
  return defineRoute({
    ...shareFacts(context),
    path: '/auth/login',
    auth: 'none',
    throttle: 'credentials',
    device: 'asked',
    operation: operationIn(context, 'login'),
    errors: [401, 403],
    summary: `Sign in as ${who}`,
    description:
      'Answers 202 with a challenge when something else must be proved first. A client that sends the `Portal-Device` of an ' +
      'earlier sign-in is not held back by what strangers guess.',
    body: loginBody,
    reply: { 200: tokenPairReply, 202: challengeReply },
    handle: async ({ services, body, request }) => {
      const input = { ...body, device: deviceOf(request) };
      const outcome = await services.auth.flow.attemptLogin(input, context, request);
      if (outcome.kind === 'refused') throw refusalError(outcome);
      if (outcome.kind === 'challenge') return accepted(outcome.data, { message: outcome.message });
      const headers = await deviceHeader(services.auth, outcome.account);
      return ok(presentTokenPair(outcome.tokens), { message: 'Logged in.', headers });
    },
  });
}

function tokenRoutes(context: AuthContext) {
  return [
    defineRoute({
      ...shareFacts(context),
      path: '/auth/refresh',
      auth: 'none',
      throttle: 'tokens',
      operation: operationIn(context, 'refresh'),
      errors: [401],
      summary: 'Exchange a refresh token for a new token pair',
      description:
        'Each refresh token works once. Who lost the answer may ask again within 10 seconds and gets the same ' +
        'successor; a token that comes back later ends the whole sign-in.',
      body: refreshTokenBody,
      reply: { 200: tokenPairReply },
      handle: async ({ services, body, request }) => {
        const tokens = await services.auth.flow.refresh(body.refresh_token, context, request);
        return ok(presentTokenPair(tokens), { message: 'Token refreshed.' });
      },
    }),
    defineRoute({
      ...shareFacts(context),
      path: '/auth/logout',
      permission: OWN_ACCOUNT,
      throttle: 'tokens',
      operation: operationIn(context, 'logout'),
      exemptFromGates: true,
      summary: 'End the sign-in that a refresh token belongs to',
      description: 'Its access tokens end too. A token that is not yours, or of no use any more, changes nothing.',
      body: refreshTokenBody,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, body, request }) => {
        await services.auth.flow.logout(body.refresh_token, { context, id: actor.id }, request);
        return ok({}, { message: 'Logged out.' });
      },
    }),
  ];
}

const signInRoutes = (context: AuthContext) => [loginRoute(context), ...tokenRoutes(context)];

export const authRoutes = [register, ...recoveryRoutes, ...signInRoutes('consumer'), ...signInRoutes('admin')];
