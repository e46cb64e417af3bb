import Joi from 'joi';
import type { Callers, CallingApp } from '../../domain/usage/index.js';
import { defineRoute } from '../define-route.js';
import { idReply, timestampReply } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import { deprecationParams } from './deprecation-schema.js';

/** Listed in one answer; the total counts the rest as well. */
const MOST_SHOWN = 500;

const count = Joi.number().integer().min(0).required();

const callers = {
  basis: Joi.string()
    .valid('part', 'product')
    .required()
    .description(
      '`part`: calls of the version or operation itself, known 30 days after its draft; `product`: of all of it.',
    )
    .example('product'),
  since: timestampReply.required(),
  total: count.description('How many apps there are.').example(1),
  people: count.description('How many developers own them.').example(1),
  reachable: count.description('How many of those a notice would reach.').example(1),
  calls: count.description('Of all of them.').example(1_200),
  apps: Joi.array()
    .items(
      Joi.object({
        id: idReply.required(),
        name: Joi.string().required().example('shop'),
        display_name: Joi.string().required().example('Shop'),
        developer: Joi.object({
          id: idReply.required(),
          name: Joi.string().allow('').required().example('Ada Byron'),
          email: Joi.string().required().example('ada@example.com'),
        }).required(),
        calls: count.example(1_200),
        last_call_at: timestampReply.required(),
        reachable: Joi.boolean().required().description('The owner is active and may see the product.').example(true),
        migrated_at: timestampReply.allow(null).required().description('When the owner said that it has moved on.'),
      }),
    )
    .required()
    .description(`Those with most calls first, ${MOST_SHOWN} at most.`),
};
const callersReply = Joi.object(callers).label('Callers');
const deprecationCallersReply = Joi.object({
  ...callers,
  burn_down: Joi.array()
    .items(Joi.object({ day: timestampReply.required(), apps: count.example(3), calls: count.example(900) }))
    .required()
    .description('How many apps still called on each day since the draft.'),
}).label('DeprecationCallers');

// Whoever may publish a change may know whom it hits.
const admins = { context: 'admin', tag: 'Products', method: 'get', policy: ['update', 'products'] } as const;

export const callerRoutes = [
  defineRoute({
    ...admins,
    path: '/products/:id/callers',
    operation: 'listProductCallers',
    summary: 'List the apps that call a product',
    description: 'In the last 30 days: whom a breaking change or a deprecation of it hits, and who is told of it.',
    params: referenceParams,
    reply: { 200: callersReply },
    find: ({ services, params }) => services.catalog.products.findForAdmin(params.id),
    handle: async ({ services, found }) => presentCallers(await services.usage.callers.ofProduct(found.id)),
  }),
  defineRoute({
    ...admins,
    path: '/products/:id/deprecations/:deprecation/callers',
    operation: 'listDeprecationCallers',
    summary: 'List the apps that call what ends',
    description: 'In the last 30 days, with who has moved on, and how many still called on each day.',
    params: deprecationParams,
    reply: { 200: deprecationCallersReply },
    find: async ({ services, params }) =>
      services.catalog.deprecations.find(await services.catalog.products.findForAdmin(params.id), params.deprecation),
    handle: async ({ services, found: { deprecation } }) => {
      const hit = presentCallers(await services.usage.callers.ofDeprecation(deprecation));
      return { ...hit, burn_down: await services.usage.callers.burnDown(deprecation) };
    },
  }),
];

function presentCallers({ basis, since, apps }: Callers) {
  const people = new Set(apps.map(({ userId }) => userId));
  const reachable = new Set(apps.filter(({ isReachable }) => isReachable).map(({ userId }) => userId));
  const calls = apps.reduce((sum, app) => sum + app.calls, 0);
  const totals = { total: apps.length, people: people.size, reachable: reachable.size, calls };
  return { basis, since, ...totals, apps: apps.slice(0, MOST_SHOWN).map(presentApp) };
}

function presentApp(app: CallingApp) {
  const { appId, app: name, displayName, userId, email, firstName, lastName, calls, lastAt } = app;
  return {
    ...{ id: appId, name, display_name: displayName },
    developer: { id: userId, name: `${firstName} ${lastName}`.trim(), email },
    ...{ calls, last_call_at: new Date(lastAt), reachable: app.isReachable, migrated_at: app.acknowledgedAt },
  };
}
