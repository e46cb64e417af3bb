import { UniqueViolationError } from '../../database/index.js';
import { ValidationError, type FieldErrors } from '../../core/index.js';
import { normaliseEmail } from './email.js';
import { cleanName } from './person-name.js';

export { changesOf } from '../../core/index.js';

/** @throws ValidationError on `email` */
export function requireEmail(input: string): string {
  const email = normaliseEmail(input);
  if (email === null) throw new ValidationError({ email: ['The e-mail address is not valid.'] });
  return email;
}

/**
 * The names in stored form; undefined ones stay undefined.
 * @throws ValidationError on every unusable name, under its API name
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

/** Another account of its kind has the address. */
export class EmailTakenError extends ValidationError {
  constructor(options?: { readonly cause?: unknown }) {
    super({ email: ['The e-mail address is already taken.'] }, options);
  }
}

/** Turns a failed account write into the error for the caller. */
export function refuseTakenEmail(error: unknown): EmailTakenError | undefined {
  // The database may not name the columns; these tables have no other unique key.
  const isTaken = error instanceof UniqueViolationError && ['email', undefined].includes(error.columns[0]);
  return isTaken ? new EmailTakenError({ cause: error }) : undefined;
}
