import { ForbiddenError, ValidationError } from '../../index.js';

/** The same for a wrong, an old, a used and a malformed code (S74). */
export class InvalidCodeError extends ValidationError {
  constructor() {
    super({ code: ['Invalid verification code.'] });
  }
}

/** The same for a challenge that is over, used, unknown or of somebody else (S76). */
export class InvalidChallengeError extends ValidationError {
  constructor() {
    super({ challenge_token: ['Invalid or expired MFA challenge.'] });
  }
}

/** A sign-in was about to begin without the second factor (S79). */
export class MfaRequiredError extends ForbiddenError {
  static override readonly code = 'mfa_required';
  static override readonly publicMessage = 'MFA challenge required.';
}

/** The account has to set a factor up before it may do anything else. */
export class MfaEnrolmentRequiredError extends ForbiddenError {
  static override readonly code = 'mfa_enrolment_required';
  static override readonly publicMessage = 'MFA enrolment required.';
}
