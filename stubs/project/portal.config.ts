import { defineConfig } from 'portalkit';
{{moduleImports}}import { ProjectAuthFlow } from './src/auth-flow.js';
import { projectRoutes } from './src/routes.js';

/**
 * What is part of this product and belongs into version control. Secrets and addresses of servers differ from one
 * installation to the next and live in .env or the environment, which win over this file: the setting `accounts.verifyEmail`
 * is the variable ACCOUNTS_VERIFY_EMAIL. `npx portal config:show` prints every setting and where its value comes from.
 */
export default defineConfig({
  app: {
    name: '{{title}}',
  },{{look}}
  gateway: {
    driver: '{{gateway}}',
  },
  session: {
    store: '{{sessions}}',
  },

  // Who may register and sign in, for the REST API and the web pages alike.
  authFlow: (parts) => new ProjectAuthFlow(parts, { emailDomains: [] }),

  // Endpoints of your own, beside those of the portal.
  routes: () => projectRoutes,
{{modules}}});
