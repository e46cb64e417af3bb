import { canonicalEmail } from '../../domain/accounts/index.js';
import { ValidationError } from '../../core/index.js';

/** @throws ValidationError on `email` unless the requested address is absent or equals the present one in any spelling */
export function refuseOtherEmail(present: string, wish: string | undefined): void {
  if (wish === undefined) return;
  const email = canonicalEmail(wish);
  if (email === present) return;
  throw new ValidationError({
    email: [
      email === null
        ? 'The e-mail address is not valid.'
        : 'The e-mail address of an admin is changed by another admin.',
    ],
  });
}
