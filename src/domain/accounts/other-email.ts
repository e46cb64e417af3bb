import { normaliseEmail } from './email.js';
import { ValidationError } from '../../core/index.js';

/**
 * The requested new address in canonical form; null if absent or equal to the present one in any spelling.
 * @throws ValidationError on `email`
 */
export function otherEmail(present: string, requested: string | undefined): string | null {
  if (requested === undefined) return null;
  const email = normaliseEmail(requested);
  if (email === null) throw new ValidationError({ email: ['The e-mail address is not valid.'] });
  return email === present ? null : email;
}
