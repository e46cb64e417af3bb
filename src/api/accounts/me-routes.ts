import Joi from 'joi';
import { accepted } from '../../http/index.js';
import { approverOf } from '../apps/find.js';
import { defineRoute } from '../define-route.js';
import { emptyReply, idParam } from '../fields.js';
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
    errors: [403, 404, 409, 502, 504],
    summary: 'Delete the account of the signed-in developer',
    description:
      'With everything that belongs to it; with `apps_to` a team gets the apps first, their keys as they are, all of them or all but ' +
      '`close_apps`. None moves while something stands against one of them. Asks for a sign-in of ' +
      'the last 15 minutes.',
    query: Joi.object<{ apps_to?: number; close_apps?: string }>({
      apps_to: idParam.optional().description('Id of a team where the caller may make apps.').example(4),
      close_apps: Joi.string()
        .max(10_000)
        .description('Names of apps that are closed with the account, by comma; with `apps_to`.')
        .example('sandbox,demo'),
    }),
    reply: { 200: emptyReply },
    handle: async ({ services, actor, query: { apps_to: team, close_apps: closed = '' } }) => {
      services.auth.guard.requireRecentSignIn(actor);
      if (team !== undefined) {
        const { teams, members } = services.teams;
        const seat = await teams.requireSeat(actor.id, team, 'app.create');
        await members.requireNoLastOwner(actor.id, 'teams');
        const except = closed.split(',').filter((name) => name !== '');
        await services.apps.transfers.moveAll(actor.user, await teams.accountOf(seat.team), approverOf(actor), except);
      }
      await services.accounts.users.delete(actor.id);
      return {};
    },
  }),
];
