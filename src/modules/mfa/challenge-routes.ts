import {
  accepted,
  defineRoute,
  deviceHeader,
  emptyReply,
  ok,
  presentTokenPair,
  tokenPairReply,
  type AuthContext,
  type PortalRoute,
} from '../../index.js';
import { FACTOR_TYPES, type FactorType } from './factor.js';
import type { LoginGate } from './login-gate.js';
import { presentTotp } from './presenter.js';
import { challengeBody, enrolBody, enrolledReply, totpReply, verifyBody } from './schema.js';

/** The second step of a login. The challenge stands for the account, but is valid nowhere else (S76). */
export function challengeRoutes(gate: LoginGate, context: AuthContext): readonly PortalRoute[] {
  const confirm = FACTOR_TYPES.map((factor) => confirmRoute(gate, context, factor));
  return [...loginRoutes(gate, context), ...enrolRoutes(gate, context), ...confirm];
}

function shareFacts(context: AuthContext) {
  const tag = context === 'admin' ? 'Admin authentication' : 'Authentication';
  return { method: 'post', context, tag, auth: 'none', throttle: 'credentials' } as const;
}

/** `verifyMfa` → `adminVerifyMfa`. */
function operation(context: AuthContext, name: string): string {
  return context === 'admin' ? `admin${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}

function loginRoutes(gate: LoginGate, context: AuthContext): readonly PortalRoute[] {
  return [
    defineRoute({
      ...shareFacts(context),
      path: '/auth/mfa/verify',
      device: 'answered',
      operation: operation(context, 'verifyMfa'),
      errors: [401, 403, 409],
      summary: 'Meet the challenge of a login and get a token pair',
      description: 'Takes a code of the authenticator, the code of a mail, or a recovery code. Each code works once.',
      body: verifyBody,
      reply: { 200: tokenPairReply },
      handle: async ({ services, body, request }) => {
        const half = await gate.open(body.challenge_token, 'login', context);
        const account = await gate.verify(half, body, request);
        const pair = presentTokenPair(await services.auth.flow.issueForUser(account, request));
        return ok(pair, { message: 'Logged in.', headers: await deviceHeader(services.auth, account) });
      },
    }),
    defineRoute({
      ...shareFacts(context),
      path: '/auth/mfa/resend',
      operation: operation(context, 'resendMfaCode'),
      errors: [401, 403, 409],
      summary: 'Have the code of a login mailed, or another one',
      description: 'At most three times, 30 seconds apart. Only the newest code works.',
      body: challengeBody,
      reply: { 202: emptyReply },
      handle: async ({ body, locale }) => {
        await gate.resend(await gate.open(body.challenge_token, 'login', context), locale);
        return accepted({}, { message: 'Code sent.' });
      },
    }),
  ];
}

function enrolRoutes(gate: LoginGate, context: AuthContext): readonly PortalRoute[] {
  return [
    defineRoute({
      ...shareFacts(context),
      path: '/auth/mfa/totp',
      operation: operation(context, 'enrolTotp'),
      errors: [401, 403, 409],
      summary: 'Begin with an authenticator at a login that requires a factor',
      body: challengeBody,
      reply: { 200: totpReply },
      handle: async ({ body }) => {
        return presentTotp(await gate.beginTotp(await gate.open(body.challenge_token, 'enrol', context)));
      },
    }),
    defineRoute({
      ...shareFacts(context),
      path: '/auth/mfa/email',
      operation: operation(context, 'enrolEmail'),
      errors: [401, 403, 409],
      summary: 'Begin with codes by mail at a login that requires a factor',
      body: challengeBody,
      reply: { 202: emptyReply },
      handle: async ({ body, locale }) => {
        await gate.send(await gate.open(body.challenge_token, 'enrol', context), locale);
        return accepted({}, { message: 'Code sent.' });
      },
    }),
  ];
}

function confirmRoute(gate: LoginGate, context: AuthContext, factor: FactorType): PortalRoute {
  const isTotp = factor === 'totp';
  return defineRoute({
    ...shareFacts(context),
    path: `/auth/mfa/${factor}/confirm`,
    device: 'answered',
    operation: operation(context, isTotp ? 'confirmTotpEnrolment' : 'confirmEmailEnrolment'),
    errors: [401, 403, 409],
    summary: `Confirm the ${isTotp ? 'authenticator' : 'address'} with its first code and get a token pair`,
    body: enrolBody,
    reply: { 200: enrolledReply },
    handle: async ({ services, body, request, locale }) => {
      const half = await gate.open(body.challenge_token, 'enrol', context);
      const { account, recoveryCodes } = await gate.enrol(half, factor, body.code, request, locale);
      const pair = presentTokenPair(await services.auth.flow.issueForUser(account, request));
      const headers = await deviceHeader(services.auth, account);
      return ok({ ...pair, recovery_codes: recoveryCodes }, { message: 'Logged in.', headers });
    },
  });
}
