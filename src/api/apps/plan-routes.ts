import { defineRoute } from '../define-route.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findGrant, findNextPlan } from './find.js';
import { presentCredential } from './presenter.js';
import { credentialReply, planChangeBody } from './schema.js';

/** The routes for the plans of products on keys at one entry point. */
export function planRoutesOf(entryPoint: AppEntryPoint) {
  const { context, path, params, tags } = entryPoint;
  const isAdmin = context === 'admin';
  const common = {
    ...{ context, tag: tags.credentials, find: findGrant, errors: APP_ERRORS, reply: { 200: credentialReply } },
    ...entryPoint.may('update'),
  } as const;
  const product = `${path}/:appName/credentials/:id/products/:product`;
  const deciding = {
    ...common,
    ...entryPoint.approval,
    method: 'post',
    params: params.plan,
    find: findNextPlan,
  } as const;
  return [
    defineRoute({
      ...common,
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
