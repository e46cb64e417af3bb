import { defineConfig } from 'portalkit';
import { ExpressGateway } from './src/express-gateway.ts';

export default defineConfig({
  gateway: { driver: 'express-gateway' },
  gatewayDrivers: {
    'express-gateway': () => new ExpressGateway(process.env.EG_ADMIN_URL ?? 'http://127.0.0.1:9876'),
  },
});
