import { currentActorContext, type AccountRef, type RequestInfo } from '../../index.js';
import { accountKey } from './factor.js';

/**
 * Which accounts proved a factor, and in which request. A proof is valid only for the rest of that request. It is tied
 * to the request and not to the account record, which a host's code may copy, extend or reload before the session is
 * opened.
 */
export class ProvenFactors {
  private readonly proofs = new WeakMap<RequestInfo, Set<string>>();

  add(owner: AccountRef, request: RequestInfo): void {
    for (const occasion of occasionsOf(request)) {
      const accounts = this.proofs.get(occasion) ?? new Set();
      this.proofs.set(occasion, accounts.add(accountKey(owner)));
    }
  }

  has(owner: AccountRef, request: RequestInfo): boolean {
    return occasionsOf(request).some((occasion) => this.proofs.get(occasion)?.has(accountKey(owner)));
  }
}

// The surface identifies the current request, however its description was passed on; outside of a surface, as in a
// command, there is only the description.
function occasionsOf(request: RequestInfo): readonly RequestInfo[] {
  const { request: answered } = currentActorContext();
  return answered ? [answered, request] : [request];
}
