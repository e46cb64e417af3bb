import { waitingOptions, type WaitingKind } from '../../domain/apps/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { may } from '../may.js';
import { presentWaiting } from './waiting-presenter.js';
import { waitingListReply } from './waiting-schema.js';

const OF_APPS: readonly WaitingKind[] = ['app', 'key', 'product', 'plan'];

export const waitingRoutes = [
  defineRoute({
    context: 'admin',
    method: 'get',
    path: '/waiting',
    operation: 'listWaiting',
    tag: 'Approvals',
    summary: 'List everything that waits for a decision, oldest first',
    description:
      'Developers, apps, keys, products on keys and other plans for those as one queue; `filters` takes `kind`, with `eq`, `ne` or `in`. Every ' +
      'admin may ask. Developers are left out without `portal.users.view`, the rest without `portal.apps.view`. ' +
      '`approve` and `refuse` name the operation to call and its path parameters; without the permission to update they ' +
      'are null. For the newest first: `order_by=waiting_since&direction=DESC`.',
    permission: 'portal.admin.access',
    list: waitingOptions,
    reply: { 200: waitingListReply },
    handle: async ({ services, actor, list }) => {
      const [viewUsers, viewApps, updateUsers, updateApps] = await Promise.all([
        may(services, actor, 'view', 'users'),
        may(services, actor, 'view', 'apps'),
        may(services, actor, 'update', 'users'),
        may(services, actor, 'update', 'apps'),
      ]);
      const kinds: WaitingKind[] = [...(viewUsers ? ['developer' as const] : []), ...(viewApps ? OF_APPS : [])];
      const page = await services.apps.waiting.list(list, kinds);
      return paginated(
        mapPage(page, (entry) => presentWaiting(entry, entry.kind === 'developer' ? updateUsers : updateApps)),
      );
    },
  }),
];
