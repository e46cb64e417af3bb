import { canonicalEmail } from '../domain/accounts/index.js';
import { ValidationError } from '../kernel/index.js';

/** @throws ValidationError on `email` unless the wish is the present address in any spelling, or absent */
export function refuseOtherEmail(present: string, wish: string | undefined): void {
  if (wish === undefined) return;
  const email = canonicalEmail(wish);
  if (email === present) return;
  throw new ValidationError({
    email: [
      email === null
        ? 'The e-mail address is not valid.'
        : 'A new e-mail address has to be confirmed by mail, and this portal does not send mail yet.',
    ],
  });
}
