import { activityRoutes } from './activities/routes.js';
import { adminRoutes } from './admins/routes.js';
import { adminMeRoutes } from './admin-me/routes.js';
import { appRoutes } from './apps/routes.js';
import { audienceRoutes } from './audiences/routes.js';
import { ownAccountRoutes } from './auth/own-account-routes.js';
import { authRoutes } from './auth/routes.js';
import { adminCategoryRoutes } from './categories/admin-routes.js';
import { categoryRoutes } from './categories/routes.js';
import { configRoutes } from './config/routes.js';
import { dashboardRoutes } from './dashboard/routes.js';
import { fileRoutes } from './files/routes.js';
import { healthRoutes } from './health/routes.js';
import { meRoutes } from './me/routes.js';
import { adminMenuRoutes } from './menus/admin-routes.js';
import { menuRoutes } from './menus/routes.js';
import { permissionRoutes } from './permissions/routes.js';
import { adminProductRoutes } from './products/admin-routes.js';
import { productPartRoutes } from './products/part-routes.js';
import { productRoutes } from './products/routes.js';
import { roleRoutes } from './roles/routes.js';
import { settingRoutes } from './settings/routes.js';
import { userRoutes } from './users/routes.js';
import type { PortalRoute } from './define-route.js';

export { default as Joi } from 'joi';
export { deviceHeader, presentTokenPair } from './auth/presenter.js';
export { challengeReply, tokenPairReply } from './auth/schema.js';
export { defineRoute, type PortalRoute } from './define-route.js';
export { emptyReply, idParam, timestampReply } from './fields.js';
export { gatewayEndpoints } from './gateway/endpoints.js';
export type { PortalServices } from './services.js';

/** Every endpoint of the REST API. */
export const apiRoutes: readonly PortalRoute[] = [
  ...healthRoutes,
  ...configRoutes,
  ...authRoutes,
  ...productRoutes,
  ...categoryRoutes,
  ...fileRoutes,
  ...menuRoutes,
  ...meRoutes,
  ...ownAccountRoutes,
  ...appRoutes,
  ...adminMeRoutes,
  ...userRoutes,
  ...adminProductRoutes,
  ...productPartRoutes,
  ...adminCategoryRoutes,
  ...audienceRoutes,
  ...adminMenuRoutes,
  ...settingRoutes,
  ...activityRoutes,
  ...dashboardRoutes,
  ...adminRoutes,
  ...roleRoutes,
  ...permissionRoutes,
];
