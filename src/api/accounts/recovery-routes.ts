import { ok } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { emailBody, emailTokenBody, passwordResetBody } from './sign-in-schema.js';

const common = {
  method: 'post',
  context: 'consumer',
  auth: 'none',
  throttle: 'credentials',
  tag: 'Authentication',
  reply: { 200: emptyReply },
} as const;

/** For people who cannot sign in. The answers never reveal whether an account exists (S09, S10). */
export const recoveryRoutes = [
  defineRoute({
    ...common,
    path: '/auth/forgot-password',
    operation: 'forgotPassword',
    localized: true,
    summary: 'Ask for a mail with a link to choose a new password',
    description: 'Always the same answer. The link works once, for 30 minutes, and only the newest one does.',
    body: emailBody,
    handle: async ({ services, body, locale, request }) => {
      await services.auth.passwordReset.request(body.email, locale, request);
      return ok({}, { message: 'If the account exists, a reset link has been sent.' });
    },
  }),
  defineRoute({
    ...common,
    path: '/auth/reset-password',
    operation: 'resetPassword',
    summary: 'Choose a new password with the token of the link',
    description: 'Every sign-in of the account ends. It signs nobody in.',
    body: passwordResetBody,
    handle: async ({ services, body }) => {
      await services.auth.passwordReset.reset(body.token, body.password);
      return ok({}, { message: 'Password changed.' });
    },
  }),
  defineRoute({
    ...common,
    path: '/auth/verify-email',
    operation: 'verifyEmail',
    localized: true,
    summary: 'Prove an e-mail address with the token of the link',
    description: 'The address of a new account, or the one that shall replace the present address of an account.',
    body: emailTokenBody,
    handle: async ({ services, body, locale }) => {
      await services.auth.confirmation.confirm(body.token, locale);
      return ok({}, { message: 'E-mail verified.' });
    },
  }),
  defineRoute({
    ...common,
    path: '/auth/verify-email/resend',
    operation: 'resendVerification',
    localized: true,
    summary: 'Ask for the confirmation mail of a new account again',
    description: 'Always the same answer.',
    body: emailBody,
    handle: async ({ services, body, locale, request }) => {
      await services.auth.confirmation.resend(body.email, locale, request);
      return ok({}, { message: 'If the account exists and is not verified yet, a link has been sent.' });
    },
  }),
];
