import { ForbiddenError } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import type { PortalServices } from '../services.js';
import { statisticsReply } from './dashboard-schema.js';

export const dashboardRoutes = [
  defineRoute({
    context: 'admin',
    method: 'get',
    path: '/dashboard/stats',
    operation: 'getStatistics',
    tag: 'Dashboard',
    summary: 'Count what is there and what waits',
    description:
      'Every admin may ask. What needs a permission that they lack (`portal.users.view`, `portal.apps.view`, ' +
      '`portal.products.view`) is null. Days are those of UTC. Numbers may be 5 seconds old.',
    permission: 'portal.admin.access',
    reply: { 200: statisticsReply },
    handle: async ({ services, actor }) => {
      const [users, apps, products] = await Promise.all(
        ['users', 'apps', 'products'].map((resource) => mayView(services, actor, resource)),
      );
      const view = { users: users === true, apps: apps === true, products: products === true };
      const { signUps, gateway, ...rest } = await services.activities.statistics.read(view);
      const { driver, isUp, checkedAt } = gateway;
      const state = { driver, state: isUp ? 'up' : 'down', checked_at: checkedAt };
      return { ...rest, sign_ups: signUps, gateway: state };
    },
  }),
];

async function mayView({ authorizer }: PortalServices, admin: { readonly id: number }, resource: string) {
  try {
    await authorizer.authorize(admin, 'view', resource);
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}
