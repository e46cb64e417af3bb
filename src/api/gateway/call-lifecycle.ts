import type { KeyDecision } from '../../domain/apps/index.js';
import type { Lifecycle, LifecycleCall, Lifecycles } from '../../domain/catalog/index.js';

/** What the end of a product, a version or an operation means to a call that was decided about. */
export interface EndingCall {
  readonly decision: KeyDecision;
  readonly lifecycle: Lifecycle | null;
}

/**
 * Refuses a call whose key opens and whose part has ended. A proxy that names no product asks about all that the key opens: what
 * has ended is none of them any more.
 * @param product slug that the proxy named; null: any
 * @throws DatabaseUnavailableError
 */
export async function applyLifecycle(
  lifecycles: Pick<Lifecycles, 'read'>,
  decision: KeyDecision,
  product: string | null,
  call: LifecycleCall,
): Promise<EndingCall> {
  if (!decision.allowed) return { decision, lifecycle: null };
  const { keyId, appId } = decision;
  const known = { ...(keyId !== '' && { keyId }), ...(appId !== undefined && { appId }) };
  const endings = await lifecycles.read();
  const called = product ?? (decision.products.length === 1 ? decision.products[0] : undefined);
  const lifecycle = called === undefined ? null : endings.of(called, call);
  if (lifecycle?.refusal) return { decision: { allowed: false, reason: lifecycle.refusal, ...known }, lifecycle };
  const products = endings.open(decision.products, call, called);
  if (called === undefined && products.length === 0) {
    return { decision: { allowed: false, reason: 'product_retired', ...known }, lifecycle };
  }
  return { decision: products === decision.products ? decision : { ...decision, products }, lifecycle };
}
