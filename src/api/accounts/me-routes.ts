import { accepted } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { otherEmail } from '../../domain/accounts/index.js';
import { presentDeveloper } from './user-presenter.js';
import { developerReply, profileBody } from './user-schema.js';

const me = { context: 'consumer', path: '/me', tag: 'Profile' } as const;

export const meRoutes = [
  defineRoute({
    ...me,
    method: 'get',
    operation: 'getProfile',
    summary: 'Show the signed-in developer',
    reply: { 200: developerReply },
    handle: ({ actor }) => presentDeveloper(actor.user),
  }),
  defineRoute({
    ...me,
    method: 'put',
    operation: 'updateProfile',
    record: true,
    errors: [403, 429],
    localized: true,
    summary: 'Change the profile of the signed-in developer',
    description:
      'Another e-mail address asks for a sign-in of the last 15 minutes and answers 202: it stays `pending_email` until its ' +
      'owner opens the link of a mail.',
    body: profileBody,
    versioned: true,
    reply: { 200: developerReply, 202: developerReply },
    handle: async ({ services, actor, body, expected, locale, request }) => {
      const newEmail = otherEmail(actor.user.email, body.email);
      if (newEmail !== null) {
        services.auth.guard.requireRecentSignIn(actor);
        await services.auth.admission.require({ ...actor.user, email: newEmail }, request);
      }
      const { first_name: firstName, last_name: lastName, custom_attributes: customAttributes } = body;
      const profile = { firstName, lastName, locale: body.locale, customAttributes };
      const user = await services.accounts.users.updateProfile(actor.id, profile, expected);
      if (newEmail === null) return presentDeveloper(user);
      const updated = await services.auth.confirmation.requestChange(user, newEmail, locale);
      return accepted(presentDeveloper(updated), { message: 'Check the mail to the new address.' });
    },
  }),
  defineRoute({
    ...me,
    method: 'delete',
    operation: 'deleteAccount',
    errors: [403, 409, 502, 504],
    summary: 'Delete the account of the signed-in developer',
    description: 'With everything that belongs to it. Asks for a sign-in of the last 15 minutes.',
    reply: { 200: emptyReply },
    handle: async ({ services, actor }) => {
      services.auth.guard.requireRecentSignIn(actor);
      await services.accounts.users.delete(actor.id);
      return {};
    },
  }),
];
