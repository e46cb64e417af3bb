import { defineConfig } from 'portalkit';
import { partnerRoutes } from './src/partner-routes.js';

export default defineConfig({
  app: { name: 'Partner API' },
  routes: () => partnerRoutes,
});
