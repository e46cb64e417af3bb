import { ForbiddenError, PortalError, ValidationError } from '../../core/index.js';

/** One answer for an unknown address, a wrong password and an account that may not sign in (S08). */
export class InvalidCredentialsError extends PortalError {
  static override readonly code = 'invalid_credentials';
  static override readonly status = 401;
  static override readonly publicMessage = 'Invalid credentials.';

  constructor() {
    super({ errors: { email: ['These credentials do not match our records.'] } });
  }
}

/** The account must reauthenticate before it may do this (S80). */
export class ReauthenticationRequiredError extends ForbiddenError {
  static override readonly code = 'reauthentication_required';
  static override readonly publicMessage = 'Re-authentication required.';
}

/** Shown only to somebody who knows the password. */
export class EmailNotVerifiedError extends ForbiddenError {
  static override readonly code = 'email_not_verified';
  static override readonly publicMessage = 'E-mail not verified.';
}

/** A rule of the host refuses an account under this address. */
export class RegistrationRefusedError extends ValidationError {
  /** @param sentence shown at the e-mail field */
  constructor(readonly sentence: string) {
    super({ email: [sentence] });
  }
}
