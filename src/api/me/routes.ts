import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { refuseOtherEmail } from '../own-email.js';
import { presentDeveloper } from '../users/presenter.js';
import { developerReply } from '../users/schema.js';
import { profileBody } from './schema.js';

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
    summary: 'Change the profile of the signed-in developer',
    body: profileBody,
    reply: { 200: developerReply },
    handle: async ({ services, actor, body }) => {
      refuseOtherEmail(actor.user.email, body.email);
      const user = await services.accounts.users.updateProfile(actor.id, {
        firstName: body.first_name,
        lastName: body.last_name,
        customAttributes: body.custom_attributes,
      });
      return presentDeveloper(user);
    },
  }),
  defineRoute({
    ...me,
    method: 'delete',
    operation: 'deleteAccount',
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
