import { mapPage } from '../../core/index.js';
import { waitingOptions, type WaitingKind, maskKey, type WaitingEntry } from '../../domain/apps/index.js';
import { paginated } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { may } from '../may.js';
import { adminEntryPoint } from './entry-points.js';
import { presentAppOwner, presentPlanOfKey } from './presenter.js';
import { waitingListReply } from './waiting-schema.js';

/** A call of another operation. */
interface Call {
  readonly operation: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** A pending decision. @param isDecider whether the admin may make it */
function presentWaiting(entry: WaitingEntry, isDecider: boolean) {
  const { kind, since, developer, app, credential, products, plan } = entry;
  return {
    kind,
    waiting_since: since,
    developer: presentAppOwner(developer),
    app: app && { name: app.name, display_name: app.displayName, description: app.description },
    credential: credential && { id: credential.id, consumer_key: maskKey(credential.keyHint) },
    products: products.map(({ slug, name, status }) => ({ slug, name, status })),
    plan: plan && presentPlanOfKey(plan),
    ...(isDecider ? decisions(entry) : { approve: null, refuse: null }),
  };
}

function decisions({ kind, developer, app, credential, products, plan }: WaitingEntry): {
  approve: Call;
  refuse: Call;
} {
  if (kind === 'developer') {
    const params = { id: developer.id };
    return { approve: { operation: 'activateUser', params }, refuse: { operation: 'deactivateUser', params } };
  }
  const noun = { app: 'App', key: 'Credential', product: 'CredentialProduct', plan: 'CredentialPlan' }[kind];
  const call = (verb: string): Call => ({
    operation: adminEntryPoint.operation(verb + noun),
    params: {
      ...{ user: developer.id, appName: app?.name ?? '' },
      ...(credential && { id: credential.id }),
      ...((kind === 'product' || kind === 'plan') && { product: products[0]?.slug ?? '' }),
      ...(kind === 'plan' && { plan: plan?.slug ?? '' }),
    },
  });
  return { approve: call('approve'), refuse: call(kind === 'plan' ? 'withdraw' : 'revoke') };
}

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
