import { maskKey, type WaitingEntry } from '../../domain/apps/index.js';
import { adminEntryPoint } from './entry-points.js';
import { presentAppOwner, presentPlanOfKey } from './presenter.js';

/** A call of another operation. */
interface Call {
  readonly operation: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** A pending decision. @param isDecider whether the admin may make it */
export function presentWaiting(entry: WaitingEntry, isDecider: boolean) {
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
