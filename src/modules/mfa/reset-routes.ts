import {
  defineRoute,
  emptyReply,
  ForbiddenError,
  idParam,
  Joi,
  ok,
  type AccountRepository,
  type PortalRoute,
} from '../../index.js';
import type { Enrolment } from './enrolment.js';

const params = Joi.object<{ id: number }>({ id: idParam });
const RULES =
  'Takes away every factor and recovery code and ends every sign-in; the owner is told by mail. Asks for a sign-in of the ' +
  'last 15 minutes.';

/** For owners who lost a factor and their recovery codes. */
export function resetRoutes(enrolment: Enrolment, directory: AccountRepository): readonly PortalRoute[] {
  const common = { context: 'admin', method: 'post', params, reply: { 200: emptyReply } } as const;
  const developer = defineRoute({
    ...common,
    path: '/users/:id/mfa/reset',
    tag: 'Users',
    policy: ['update', 'users'],
    operation: 'resetUserMfa',
    summary: 'Take the second factors of a developer away',
    description: RULES,
    find: async ({ params: { id } }) => (await directory.find({ context: 'consumer', id })).account,
    handle: async ({ services, actor, found, request }) => {
      services.auth.guard.requireRecentSignIn(actor);
      await enrolment.reset({ account: found, request });
      return ok({}, { message: 'Factors reset.' });
    },
  });
  const admin = defineRoute({
    ...common,
    path: '/admins/:id/mfa/reset',
    tag: 'Admins',
    policy: ['update', 'admins'],
    operation: 'resetAdminMfa',
    summary: 'Take the second factors of an admin away',
    description: `${RULES} Nobody resets their own, nor those of an admin who may do more.`,
    find: async ({ params: { id } }) => (await directory.find({ context: 'admin', id })).account,
    handle: async ({ services, actor, found, request }) => {
      services.auth.guard.requireRecentSignIn(actor);
      if (actor.id === found.id) {
        throw new ForbiddenError({ errors: { id: ['Change your own factors with the endpoints below /me/mfa.'] } });
      }
      await services.rbac.rules.requireOver(actor, found.id);
      await enrolment.reset({ account: found, request });
      return ok({}, { message: 'Factors reset.' });
    },
  });
  return [developer, admin];
}
