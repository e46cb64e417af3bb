import { TooManyAttemptsError, type PortalError } from '../../kernel/index.js';
import type { LoginRefusal } from './contracts.js';
import { EmailNotVerifiedError, InvalidCredentialsError } from './errors.js';

/** What a surface answers to a refused login. */
export function refusalError({ reason, retryAfter = 1 }: LoginRefusal): PortalError {
  if (reason === 'limited') return new TooManyAttemptsError(retryAfter);
  return reason === 'email-not-verified' ? new EmailNotVerifiedError() : new InvalidCredentialsError();
}
