import { currentActorContext, type AccountRef, type RequestInfo } from '../../index.js';
import { accountKey } from './factor.js';

/**
 * Which accounts proved a factor, and in which request. A proof is good for what follows from it within that request, and for
 * nothing after it. It belongs to the request and not to the record of the account, which code of a host may copy, extend or
 * read anew on its way to the sign-in.
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

// The surface says which request is being answered, however its description was handed on; outside of a surface, as in a
// command, there is the description alone.
function occasionsOf(request: RequestInfo): readonly RequestInfo[] {
  const { request: answered } = currentActorContext();
  return answered ? [answered, request] : [request];
}
