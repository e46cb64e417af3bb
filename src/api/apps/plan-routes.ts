import { defineRoute } from '../define-route.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findCredential, findGrant, findNextPlan } from './find.js';
import { presentCredential } from './presenter.js';
import { credentialReply, planChangeBody, versionMoveBody } from './schema.js';

/** The routes for the plans of products on keys at one entry point. */
export function planRoutesOf(entryPoint: AppEntryPoint) {
  const { context, path, params, tags } = entryPoint;
  const isAdmin = context === 'admin';
  const common = { context, tag: tags.credentials, reply: { 200: credentialReply } } as const;
  const product = `${path}/:appName/credentials/:id/products/:product`;
  const deciding = {
    ...common,
    ...entryPoint.enter('changeKey', findNextPlan),
    ...entryPoint.approval,
    errors: APP_ERRORS,
    method: 'post',
    params: params.plan,
  } as const;
  return [
    defineRoute({
      ...common,
      ...entryPoint.enter('changeKey', findGrant),
      errors: APP_ERRORS,
      method: 'put',
      path: `${product}/plan`,
      operation: entryPoint.operation('setCredentialPlan'),
      summary: 'Give a product on a key another plan',
      description:
        'Up or down, without a new key. ' +
        (isAdmin
          ? 'It needs no approval.'
          : 'A plan with manual approval waits as `next_plan`; the present one stays.') +
        ' The plan that it has already takes back what was to come.',
      params: params.grant,
      body: planChangeBody,
      handle: async ({ services, actor, found, body: { plan, when = 'now' } }) =>
        presentCredential(await services.apps.plans.change(found, { plan, when }, approverOf(actor))),
    }),
    defineRoute({
      ...deciding,
      path: `${product}/plans/:plan/approve`,
      operation: entryPoint.operation('approveCredentialPlan'),
      summary: 'Approve the plan that a product on a key is to have',
      description: isAdmin ? 'It comes at once, or at its time.' : 'Takes `apps.selfApproval`.',
      handle: async ({ services, actor, found, params: { plan } }) =>
        presentCredential(await services.apps.plans.approve(found, plan, approverOf(actor))),
    }),
    defineRoute({
      ...deciding,
      path: `${product}/plans/:plan/withdraw`,
      operation: entryPoint.operation('withdrawCredentialPlan'),
      summary: isAdmin
        ? 'Refuse the plan that a product on a key is to have'
        : 'Take back the request for another plan',
      description: 'The present plan stays.',
      handle: async ({ services, actor, found, params: { plan }, body }) =>
        presentCredential(await services.apps.plans.withdraw(found, plan, approverOf(actor), body.reason)),
    }),
  ];
}

/** For admins. */
export const versionMoveRouteOf = ({ context, tags, path, params, ...entryPoint }: AppEntryPoint) =>
  defineRoute({
    ...{ context, tag: tags.credentials },
    ...entryPoint.enter('changeKey', findCredential),
    method: 'post',
    path: `${path}/:appName/credentials/:id/move-plan`,
    operation: entryPoint.operation('moveCredentialPlan'),
    errors: APP_ERRORS,
    summary: 'Move a key to the active version of a plan',
    description:
      'For all of its products that have an older version of the plan; a key without any stays as it is. A job of the ' +
      'console does it to all keys at once.',
    params: params.credential,
    body: versionMoveBody,
    reply: { 200: credentialReply },
    handle: async ({ services, actor, found, body: { plan, at = null } }) =>
      presentCredential(await services.apps.versionMoves.move(found, { plan, at }, approverOf(actor))),
  });
