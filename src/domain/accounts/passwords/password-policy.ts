/** Bounds of S04; bytes because that is what hashing costs. */
const MAX_CHARACTERS = 128;
const MAX_BYTES = 512;
/** Shorter pieces of a name are too common to forbid. */
const MIN_PERSONAL = 5;

const TOO_COMMON = 'This password is too common.';

let common: Promise<ReadonlySet<string>> | undefined;

// 49 000 of the most used ones (S05 asks for 10 000); 0.4 MB that only a process that sets passwords needs.
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as readonly string[]),
  );
  return common;
}

export interface PasswordContext {
  /** At least 8; more for admins (S04). */
  minimum: number;
  /** The account's e-mail and names and the portal's name: a password must not be built on them. */
  personal: readonly string[];
}

/**
 * What is wrong with a new password, as sentences; empty when nothing is. No rules of composition, no trimming.
 * The length is judged before anything is hashed.
 */
export async function passwordFaults(password: string, { minimum, personal }: PasswordContext): Promise<string[]> {
  const length = [...password].length;
  if (length < minimum) return [`The password must have at least ${minimum} characters.`];
  if (length > MAX_CHARACTERS || Buffer.byteLength(password) > MAX_BYTES) {
    return [`The password must have at most ${MAX_CHARACTERS} characters.`];
  }
  const lower = password.toLowerCase();
  if ((await commonPasswords()).has(lower)) return [TOO_COMMON];
  return personal.flatMap(pieces).some((piece) => lower.includes(piece)) ? [TOO_COMMON] : [];
}

function pieces(text: string): string[] {
  const local = text.includes('@') ? text.slice(0, text.indexOf('@')) : text;
  return [local, ...local.split(/[\s._+-]+/)]
    .map((piece) => piece.toLowerCase())
    .filter((piece) => piece.length >= MIN_PERSONAL);
}
