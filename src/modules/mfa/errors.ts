import { ForbiddenError, ValidationError } from '../../index.js';

/** The same for a wrong, expired, used or malformed code (S74). */
export class InvalidCodeError extends ValidationError {
  constructor() {
    super({ code: ['Invalid verification code.'] });
  }
}

/** The same for a challenge that is expired, used, unknown or of another account (S76). */
export class InvalidChallengeError extends ValidationError {
  constructor() {
    super({ challenge_token: ['Invalid or expired MFA challenge.'] });
  }
}

/** A session was about to start without the second factor (S79). */
export class MfaRequiredError extends ForbiddenError {
  static override readonly code = 'mfa_required';
  static override readonly publicMessage = 'MFA challenge required.';
}

/** The account must set up a factor before it may do anything else. */
export class MfaEnrolmentRequiredError extends ForbiddenError {
  static override readonly code = 'mfa_enrolment_required';
  static override readonly publicMessage = 'MFA enrolment required.';
}
