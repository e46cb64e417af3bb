import { AuthEvent, type AuthFact } from '../../index.js';

/** An identity of a provider belongs to an account from now on. */
export class OidcIdentityLinkedEvent extends AuthEvent {
  readonly provider: string;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;

  constructor({ provider, ...fact }: AuthFact & { readonly provider: string }) {
    super(fact);
    this.provider = provider;
    this.changes = { provider: [null, provider] };
  }
}

/** Its owner took it away. */
export class OidcIdentityUnlinkedEvent extends AuthEvent {
  readonly provider: string;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;

  constructor({ provider, ...fact }: AuthFact & { readonly provider: string }) {
    super(fact);
    this.provider = provider;
    this.changes = { provider: [provider, null] };
  }
}
