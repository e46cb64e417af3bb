import Joi from 'joi';
import { VIEW_AS } from '../../domain/console/index.js';
import { created } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { idParam, idReply, nameField, timestampReply } from '../fields.js';

const LONGEST_REASON = 500;

const viewBody = Joi.object<{ reason: string }>({
  reason: nameField(LONGEST_REASON)
    .required()
    .description('Kept in the activity log for good.')
    .example('Ticket 4711: misses an API'),
}).label('DeveloperViewInput');

const viewReply = Joi.object({
  token: Joi.string().required().example('3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').description('Told once.'),
  user_id: idReply.required(),
  started_at: timestampReply.required(),
  ends_at: timestampReply.required(),
}).label('DeveloperView');

export const developerViewRoutes = [
  defineRoute({
    context: 'admin',
    tag: 'Users',
    method: 'post',
    path: '/users/:id/view',
    policy: VIEW_AS,
    operation: 'viewAsUser',
    summary: 'View the portal as a developer sees it, for 15 minutes, without doing anything',
    description:
      'The token, as the cookie `portal-view` of the browser in which the same admin is signed in to the console, shows ' +
      'the pages of the portal as the developer sees them. No form is taken and no key is shown. An admin has one view at ' +
      'a time. Asks for a sign-in of the last 15 minutes.',
    errors: [409],
    params: Joi.object<{ id: number }>({ id: idParam }),
    find: ({ services, params }) => services.accounts.users.find(params.id),
    body: viewBody,
    reply: { 201: viewReply },
    handle: async ({ services, actor, found, body }) => {
      services.auth.guard.requireRecentSignIn(actor);
      const { view, token } = await services.console.developerViews.start(found, actor.id, body.reason);
      return created({ token, user_id: view.userId, started_at: view.startedAt, ends_at: view.endsAt });
    },
  }),
];
