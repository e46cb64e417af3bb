import { UniqueViolationError } from '../../database/index.js';
import { ValidationError, type FieldErrors } from '../../kernel/index.js';
import { canonicalEmail } from './email.js';
import { cleanName } from './person-name.js';

export { changesOf } from '../../kernel/index.js';

/** @throws ValidationError on `email` */
export function requireEmail(input: string): string {
  const email = canonicalEmail(input);
  if (email === null) throw new ValidationError({ email: ['The e-mail address is not valid.'] });
  return email;
}

/**
 * The same names as they are stored. Those that are undefined stay so.
 * @throws ValidationError on every name that cannot be used, under its name on the wire
 */
export function requireNames<T extends Readonly<Record<string, string | undefined>>>(names: T, max: number): T {
  const errors: FieldErrors = {};
  const clean: Record<string, string | undefined> = {};
  for (const [field, text] of Object.entries(names)) {
    const name = text === undefined ? undefined : cleanName(text, max);
    if (name === null) errors[field] = [`The name must have 1 to ${max} characters and no control characters.`];
    else clean[field] = name;
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return clean as T;
}

/** Runs a write of an account; the unique key on its address is the only one there. */
export async function refusingTakenEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    throw new ValidationError({ email: ['The e-mail address is already taken.'] }, { cause: error });
  }
}
