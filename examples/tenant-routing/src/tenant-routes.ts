import { created, defineRoute, Joi, ValidationError, type PortalRoute } from 'portalkit';
import type { Tenants } from './tenants.js';

const tenantParams = Joi.object<{ tenant: string }>({ tenant: Joi.string().max(100).required() });
const products = Joi.array().items(Joi.object({ slug: Joi.string().required(), name: Joi.string().required() }));
const common = { context: 'consumer', tag: 'Tenants' } as const;

export function tenantRoutes(tenants: Tenants): PortalRoute[] {
  return [
    defineRoute({
      ...common,
      method: 'get',
      path: '/tenants',
      operation: 'listTenants',
      summary: 'List the own tenants',
      reply: { 200: Joi.array().items(Joi.string()).label('TenantNames') },
      handle: async ({ actor }) => (await tenants.of(actor.id)).map(({ name }) => name),
    }),
    defineRoute({
      ...common,
      method: 'get',
      path: '/tenants/:tenant/products',
      operation: 'listTenantProducts',
      summary: 'List the products of a tenant',
      params: tenantParams,
      reply: { 200: products.label('TenantProducts') },
      // 404 comes before everything else of the request is read.
      find: ({ params, actor }) => tenants.find(params.tenant, actor.id),
      handle: ({ found }) => tenants.products(found),
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: '/tenants/:tenant/apps',
      operation: 'createTenantApp',
      summary: 'Create an app for the products of a tenant',
      params: tenantParams,
      body: Joi.object<{ name: string; products: string[] }>({
        name: Joi.string()
          .pattern(/^[a-z0-9-]+$/)
          .max(50)
          .required(),
        products: Joi.array().items(Joi.string().max(100)).min(1).max(20).required(),
      }).label('TenantAppInput'),
      reply: { 201: Joi.object({ app: Joi.string().required(), key: Joi.string() }).label('TenantApp') },
      find: ({ params, actor }) => tenants.find(params.tenant, actor.id),
      handle: async ({ services, actor, body, found }) => {
        const offered = new Set((await tenants.products(found)).map(({ slug }) => slug));
        const foreign = body.products.filter((slug) => !offered.has(slug));
        if (foreign.length > 0)
          throw new ValidationError({ products: [`${found.name} does not offer ${foreign.join()}.`] });
        const input = { name: `${found.name}.${body.name}`, products: body.products };
        const { app, credentials } = await services.apps.apps.create(actor.user, input, {
          type: 'developer',
          id: actor.id,
        });
        return created({ app: app.name, key: credentials?.[0]?.key?.consumerKey });
      },
    }),
  ];
}
