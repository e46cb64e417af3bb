import { ConflictError, foreignError, UnauthenticatedError, ValidationError } from '../../index.js';

/** The same for a state that is unknown, expired, used, or of another browser (S81). */
export class InvalidStateError extends ValidationError {
  constructor() {
    super({ state: ['Invalid or expired state.'] });
  }
}

/** The provider's response proves no identity. The reason is only logged. */
export class RefusedIdentityError extends UnauthenticatedError {
  constructor(detail: string, cause?: unknown) {
    // The library's errors contain the provider's response.
    super({ detail, cause: cause === undefined ? undefined : foreignError(cause) });
  }
}

/** Why a proven identity gets no account; also the messages `oidc.refused.<reason>`. */
export type Unlinkable = 'unverified-email' | 'unverified-account' | 'unproved-address' | 'linked-elsewhere';

const SENTENCES: Readonly<Record<Unlinkable, string>> = {
  'unverified-email': 'The identity provider does not vouch for an e-mail address.',
  'unverified-account':
    'There is an account with this address that has not confirmed it. Choose a new password by mail; then the provider opens it.',
  'unproved-address': 'Confirm the e-mail address of the account first; then an identity can be linked.',
  'linked-elsewhere': 'This identity belongs to another account.',
};

/** An identity that cannot be linked to an account (S85). */
export class UnlinkableIdentityError extends ConflictError {
  constructor(readonly reason: Unlinkable) {
    super({ errors: { email: [SENTENCES[reason]] } });
  }
}
