import { currentActorContext, type AccountRef, type RequestInfo } from '../../index.js';
import { accountKey } from './factor.js';

/**
 * Which accounts proved a factor in which request; a proof is valid for the rest of that request only. It is not tied to
 * the account record, which a host's code may copy, extend or reload before the session is opened.
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

// Inside of an HTTP request its context identifies it, even if the RequestInfo was copied; a command has only the
// RequestInfo.
function occasionsOf(request: RequestInfo): readonly RequestInfo[] {
  const { request: answered } = currentActorContext();
  return answered ? [answered, request] : [request];
}
