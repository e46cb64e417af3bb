import { appDirectoryOptions } from '../../domain/apps/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { appRoutesOf } from './app-routes.js';
import { credentialRoutesOf } from './credential-routes.js';
import { adminEntryPoint, ownEntryPoint, type AppEntryPoint } from './entry-points.js';
import { grantRoutesOf } from './grant-routes.js';
import { presentListedApp } from './presenter.js';
import { listedAppListReply } from './schema.js';

const listAllApps = defineRoute({
  context: 'admin',
  tag: 'Apps of developers',
  policy: ['view', 'apps'],
  method: 'get',
  path: '/apps',
  operation: 'listAllApps',
  summary: 'List the apps of all developers',
  description:
    'The approval queue: `filters={"status":"pending"}` finds apps that wait, `filters={"waiting":true}` also those with a ' +
    'key or a product on a key that waits. `user` takes the id of a developer, `email` their address, `product` slugs.',
  list: appDirectoryOptions,
  budget: { gateway: 1 },
  reply: { 200: listedAppListReply },
  handle: async ({ services, list }) => paginated(mapPage(await services.apps.directory.list(list), presentListedApp)),
});

const behind = (door: AppEntryPoint) => [...appRoutesOf(door), ...credentialRoutesOf(door), ...grantRoutesOf(door)];

export const appRoutes = [...behind(ownEntryPoint), listAllApps, ...behind(adminEntryPoint)];
