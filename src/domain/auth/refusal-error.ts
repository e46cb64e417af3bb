import { ForbiddenError, TooManyAttemptsError, type PortalError } from '../../core/index.js';
import type { LoginRefusal } from './contracts.js';
import { EmailNotVerifiedError, InvalidCredentialsError } from './errors.js';

/** What a surface answers to a refused login. */
export function refusalError({ reason, retryAfter = 1 }: LoginRefusal): PortalError {
  if (reason === 'limited') return new TooManyAttemptsError(retryAfter);
  return reason === 'email-not-verified' ? new EmailNotVerifiedError() : new InvalidCredentialsError();
}

/** The same for somebody who has just registered, and typed no credentials that could be wrong. */
export function registrationRefusal(refusal: LoginRefusal): PortalError {
  return refusal.reason === 'credentials' ? new ForbiddenError() : refusalError(refusal);
}
