import { defineEvent, eventField, type Changes } from '../../core/index.js';
import { AuthEvent } from '../../index.js';

const withProvider = { fields: { provider: eventField<string>() } };

/** An identity was linked to an account. */
export class OidcIdentityLinkedEvent extends defineEvent(AuthEvent, 'oidc_identity.linked', withProvider) {
  readonly changes: Changes = { provider: [null, this.provider] };
}

/** The owner unlinked an identity. */
export class OidcIdentityUnlinkedEvent extends defineEvent(AuthEvent, 'oidc_identity.unlinked', withProvider) {
  readonly changes: Changes = { provider: [this.provider, null] };
}
