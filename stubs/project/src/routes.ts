import { defineRoute, Joi } from 'portalkit';

/**
 * Endpoints of your own. A declaration is all there is to write: from it come the routing below the API prefix, the
 * checks of token and input, the envelope around the answer, the line in `npx portal routes` and the API documentation.
 *
 * `context` says whose token opens it (`consumer` or `admin`), `auth: 'none'` opens it to everybody. Admin routes also
 * name the `permission` or `policy` they ask for; one that says neither stops the start. `services` holds everything
 * that the portal's own endpoints are made of.
 */
export const projectRoutes = [
  defineRoute({
    method: 'get',
    path: '/status',
    context: 'consumer',
    auth: 'none',
    operation: 'getStatus',
    tag: 'Status',
    summary: 'Tell whether this portal is open',
    reply: {
      200: Joi.object({ open: Joi.boolean().required(), time: Joi.string().isoDate().required() }).label(
        'PortalStatus',
      ),
    },
    handle: async ({ services }) => {
      const { ready } = await services.readiness.read();
      return { open: ready, time: services.clock.now().toISOString() };
    },
  }),
];
