import { defineEvent, eventField, type Changes } from '../../core/index.js';
import { AuthEvent } from '../../index.js';

const withProvider = { fields: { provider: eventField<string>() } };

/** An identity of a provider belongs to an account from now on. */
export class OidcIdentityLinkedEvent extends defineEvent(AuthEvent, 'oidc_identity.linked', withProvider) {
  readonly changes: Changes = { provider: [null, this.provider] };
}

/** Its owner took it away. */
export class OidcIdentityUnlinkedEvent extends defineEvent(AuthEvent, 'oidc_identity.unlinked', withProvider) {
  readonly changes: Changes = { provider: [this.provider, null] };
}
