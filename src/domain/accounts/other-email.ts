import { canonicalEmail } from './email.js';
import { ValidationError } from '../../core/index.js';

/**
 * The wish for another address, as it is stored; null when it is the present one in any spelling, or absent.
 * @throws ValidationError on `email`
 */
export function otherEmail(present: string, wish: string | undefined): string | null {
  if (wish === undefined) return null;
  const email = canonicalEmail(wish);
  if (email === null) throw new ValidationError({ email: ['The e-mail address is not valid.'] });
  return email === present ? null : email;
}
