import type { AuthContext } from '../../domain/auth/index.js';
import { ok, OWN_ACCOUNT } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { deviceHeader, presentSession } from './sign-in-presenter.js';
import { passwordChangeBody, passwordConfirmationBody, sessionParams, sessionsReply } from './sign-in-schema.js';

function shareFacts(context: AuthContext) {
  const tag = context === 'admin' ? 'Admin profile' : 'Profile';
  return { context, tag, permission: OWN_ACCOUNT } as const;
}

/** `listSessions` → `listAdminSessions`. */
function operationIn(context: AuthContext, verb: string, noun: string): string {
  return `${verb}${context === 'admin' ? 'Admin' : ''}${noun}`;
}

function passwordRoutes(context: AuthContext) {
  return [
    defineRoute({
      ...shareFacts(context),
      method: 'post',
      path: '/me/password',
      device: 'answered',
      operation: operationIn(context, 'change', 'Password'),
      errors: [429],
      summary: 'Change the own password',
      description: 'Every other sign-in of the account ends, in the API and in the browser; this one lives on.',
      body: passwordChangeBody,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, body, request }) => {
        const change = { currentPassword: body.current_password, password: body.password };
        await services.auth.security.changePassword(actor, change, request);
        return ok({}, { message: 'Password changed.', headers: await deviceHeader(services.auth, actor) });
      },
    }),
    defineRoute({
      ...shareFacts(context),
      method: 'post',
      path: '/me/reauthenticate',
      operation: operationIn(context, 'reauthenticate', ''),
      exemptFromGates: true,
      errors: [429],
      summary: 'Prove the own password anew',
      description:
        'For the next 15 minutes this sign-in may do what answers 403 `Re-authentication required.` An account with a ' +
        'second factor sends its code, with the password or alone.',
      body: passwordConfirmationBody,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, body, request }) => {
        const { password, code } = body;
        const codes = code === undefined ? [] : [code];
        await services.auth.security.reauthenticate(actor, { password, codes }, request);
        return ok({}, { message: 'Re-authenticated.' });
      },
    }),
  ];
}

function sessionRoutes(context: AuthContext) {
  return [
    defineRoute({
      ...shareFacts(context),
      method: 'get',
      path: '/me/sessions',
      operation: operationIn(context, 'list', 'Sessions'),
      summary: 'List where the account is signed in, last used first',
      description: 'API and browser alike; not paginated, at most 200.',
      reply: { 200: sessionsReply },
      handle: async ({ services, actor }) => {
        const sessions = await services.auth.sessions.list(actor);
        return sessions.map((session) => presentSession(session, actor.sid));
      },
    }),
    defineRoute({
      ...shareFacts(context),
      method: 'delete',
      path: '/me/sessions/:id',
      operation: operationIn(context, 'end', 'Session'),
      summary: 'End one sign-in of the account',
      params: sessionParams,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, params, request }) => {
        await services.auth.sessions.revoke(actor, params.id, request);
        return {};
      },
    }),
    defineRoute({
      ...shareFacts(context),
      method: 'delete',
      path: '/me/sessions',
      operation: operationIn(context, 'end', 'AllSessions'),
      summary: 'Log out everywhere',
      description: 'Ends every sign-in of the account, the one of this request included; all its tokens end at once.',
      reply: { 200: emptyReply },
      handle: async ({ services, actor, request }) => {
        await services.auth.sessions.revokeAll(actor, request);
        return ok({}, { message: 'Logged out everywhere.' });
      },
    }),
  ];
}

/** Password and session routes of the signed-in account; the same for developers and admins. */
export const ownAccountRoutes = (['consumer', 'admin'] as const).flatMap((context) => [
  ...passwordRoutes(context),
  ...sessionRoutes(context),
]);
