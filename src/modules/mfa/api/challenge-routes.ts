import {
  accepted,
  defineRoute,
  emptyReply,
  ok,
  presentTokenPair,
  tokenPairReply,
  type AuthContext,
  type PortalRoute,
} from '../../../index.js';
import type { FactorType } from '../factor.js';
import type { LoginGate } from '../login-gate.js';
import { presentTotp } from './presenter.js';
import { challengeBody, enrolBody, enrolledReply, totpReply, verifyBody } from './schema.js';

/** The second half of a login. The challenge stands for the account; nothing else of the portal knows it (S76). */
export function challengeRoutes(gate: LoginGate, context: AuthContext): readonly PortalRoute[] {
  const isAdmin = context === 'admin';
  const tag = isAdmin ? 'Admin authentication' : 'Authentication';
  const common = { method: 'post', context, tag, auth: 'none', throttle: 'credentials' } as const;
  const operation = (name: string) => (isAdmin ? `admin${name.charAt(0).toUpperCase()}${name.slice(1)}` : name);

  const verify = defineRoute({
    ...common,
    path: '/auth/mfa/verify',
    operation: operation('verifyMfa'),
    summary: 'Meet the challenge of a login and get a token pair',
    description: 'Takes a code of the authenticator, the code of a mail, or a recovery code. Each code works once.',
    body: verifyBody,
    reply: { 200: tokenPairReply },
    handle: async ({ services, body, request }) => {
      const half = await gate.open(body.challenge_token, 'login', context);
      const account = await gate.verify(half, body, request);
      return ok(presentTokenPair(await services.auth.flow.issueForUser(account, request)), { message: 'Logged in.' });
    },
  });

  const resend = defineRoute({
    ...common,
    path: '/auth/mfa/resend',
    operation: operation('resendMfaCode'),
    summary: 'Have the code of a login mailed, or another one',
    description: 'At most three times, 30 seconds apart. Only the newest code works.',
    body: challengeBody,
    reply: { 202: emptyReply },
    handle: async ({ body, locale }) => {
      await gate.resend(await gate.open(body.challenge_token, 'login', context), locale);
      return accepted({}, { message: 'Code sent.' });
    },
  });

  const beginTotp = defineRoute({
    ...common,
    path: '/auth/mfa/totp',
    operation: operation('enrolTotp'),
    summary: 'Begin with an authenticator at a login that requires a factor',
    body: challengeBody,
    reply: { 200: totpReply },
    handle: async ({ body }) =>
      presentTotp(await gate.beginTotp(await gate.open(body.challenge_token, 'enrol', context))),
  });

  const beginEmail = defineRoute({
    ...common,
    path: '/auth/mfa/email',
    operation: operation('enrolEmail'),
    summary: 'Begin with codes by mail at a login that requires a factor',
    body: challengeBody,
    reply: { 202: emptyReply },
    handle: async ({ body, locale }) => {
      await gate.send(await gate.open(body.challenge_token, 'enrol', context), locale);
      return accepted({}, { message: 'Code sent.' });
    },
  });

  const confirm = (factor: FactorType, name: string) =>
    defineRoute({
      ...common,
      path: `/auth/mfa/${factor}/confirm`,
      operation: operation(name),
      summary: `Confirm the ${factor === 'totp' ? 'authenticator' : 'address'} with its first code and get a token pair`,
      body: enrolBody,
      reply: { 200: enrolledReply },
      handle: async ({ services, body, request, locale }) => {
        const half = await gate.open(body.challenge_token, 'enrol', context);
        const { account, recoveryCodes } = await gate.enrol(half, factor, body.code, request, locale);
        const pair = presentTokenPair(await services.auth.flow.issueForUser(account, request));
        return ok({ ...pair, recovery_codes: recoveryCodes }, { message: 'Logged in.' });
      },
    });

  return [
    verify,
    resend,
    beginTotp,
    confirm('totp', 'confirmTotpEnrolment'),
    beginEmail,
    confirm('email', 'confirmEmailEnrolment'),
  ];
}
