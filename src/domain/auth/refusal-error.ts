import { ForbiddenError, TooManyAttemptsError, type PortalError } from '../../core/index.js';
import type { LoginRefusal } from './contracts.js';
import { EmailNotVerifiedError, InvalidCredentialsError } from './errors.js';

/** The error response to a refused login. */
export function refusalError({ reason, retryAfter = 1 }: LoginRefusal): PortalError {
  if (reason === 'limited') return new TooManyAttemptsError(retryAfter);
  return reason === 'email-not-verified' ? new EmailNotVerifiedError() : new InvalidCredentialsError();
}

/** The error response right after registration, where no credentials could be wrong. */
export function registrationRefusal(refusal: LoginRefusal): PortalError {
  return refusal.reason === 'credentials' ? new ForbiddenError() : refusalError(refusal);
}
