import { defineConfig } from 'portalkit';
import { reviewRoutes } from './src/review-routes.js';
import { Reviews } from './src/reviews.js';

export default defineConfig({
  app: { name: 'Reviewed portal' },
  // New apps wait.
  apps: { approval: 'manual' },
  routes: ({ database, clock }) => reviewRoutes(new Reviews(database, clock)),
  listen: ({ database, clock, events }) => new Reviews(database, clock).listen(events),
});
