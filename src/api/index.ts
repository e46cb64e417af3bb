import { adminMeRoutes } from './admin-me/routes.js';
import { healthRoutes } from './health/routes.js';
import { meRoutes } from './me/routes.js';
import { userRoutes } from './users/routes.js';
import type { PortalRoute } from './define-route.js';

export { defineRoute, type PortalRoute } from './define-route.js';
export type { PortalServices } from './services.js';

/** Every endpoint of the REST API. */
export const apiRoutes: readonly PortalRoute[] = [...healthRoutes, ...meRoutes, ...adminMeRoutes, ...userRoutes];
