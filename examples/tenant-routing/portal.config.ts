import { defineConfig } from 'portalkit';
import { tenantPages } from './src/tenant-pages.js';
import { tenantRoutes } from './src/tenant-routes.js';
import { Tenants } from './src/tenants.js';

export default defineConfig({
  app: { name: 'Partner portal' },
  routes: ({ database }) => tenantRoutes(new Tenants(database)),
  pages: ({ database }) => tenantPages(new Tenants(database)),
});
