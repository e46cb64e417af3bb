import { ValidationError } from '../../core/index.js';
import type { PasswordHasher } from './contracts.js';
import { estimateGuesses, type Weakness } from './guess-estimate.js';

/** Limits of S04; also in bytes, which determine the cost of hashing. */
const MAX_CHARACTERS = 128;
const MAX_BYTES = 512;
/** Shorter pieces of a name are too common to forbid. */
const MIN_PERSONAL = 5;
/** log10 of three million guesses, more than the sign-in limits allow in years. */
const MIN_GUESSES = 6.5;

const SENTENCES: Readonly<Record<Weakness, string>> = {
  repeats: 'This password repeats itself.',
  sequence: 'This password is a sequence of characters that follow each other.',
  common: 'This password is a common one with little added.',
};

let common: Promise<ReadonlyMap<string, number>> | undefined;

// 49 000 common passwords (S05 asks for 10 000); 0.4 MB, loaded only by processes that set passwords.
function loadCommonPasswords(): Promise<ReadonlyMap<string, number>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Map((dictionary['passwords-common'] as readonly string[]).map((word, at) => [word, at + 1])),
  );
  return common;
}

interface PasswordContext {
  /** At least 8; more for admins (S04). */
  minimum: number;
  /** E-mail and names of the account, and the portal's name: a password must not be built on them. */
  personal: readonly string[];
}

/**
 * Faults of a new password, as sentences; empty when there are none. No composition rules, no trimming. The length is
 * checked before anything is hashed.
 */
async function passwordFaults(password: string, { minimum, personal }: PasswordContext): Promise<string[]> {
  const length = [...password].length;
  if (length < minimum) return [`The password must have at least ${minimum} characters.`];
  if (length > MAX_CHARACTERS || Buffer.byteLength(password) > MAX_BYTES) {
    return [`The password must have at most ${MAX_CHARACTERS} characters.`];
  }
  const lower = password.toLowerCase();
  const ranks = await loadCommonPasswords();
  if (ranks.has(lower)) return ['This password is too common.'];
  if (personal.flatMap(pieces).some((piece) => lower.includes(piece))) {
    return ['The password must not contain the name or e-mail address of the account, or the name of the portal.'];
  }
  const { log10, weakness } = estimateGuesses(password, (word) => ranks.get(word));
  return log10 < MIN_GUESSES && weakness !== null ? [SENTENCES[weakness]] : [];
}

function pieces(text: string): string[] {
  const local = text.includes('@') ? text.slice(0, text.indexOf('@')) : text;
  return [local, ...local.split(/[\s._+-]+/)]
    .map((piece) => piece.toLowerCase())
    .filter((piece) => piece.length >= MIN_PERSONAL);
}

/** Checks whether a password is in a known leak. */
export interface LeakedPasswords {
  includes(password: string): Promise<boolean>;
}

export interface NewPasswordSettings {
  readonly hasher: PasswordHasher;
  /** Minimum length of a developer's password. */
  readonly minLength: number;
  readonly adminMinLength: number;
  readonly portalName: string;
  readonly leaked?: LeakedPasswords | undefined;
}

/** The only way to turn a new password into a hash, so that no code path skips the policy (S01, S04, S05). */
export class NewPasswords {
  constructor(private readonly settings: NewPasswordSettings) {}

  /** Minimum length of a new password. */
  minimum(context: 'consumer' | 'admin'): number {
    return context === 'admin' ? this.settings.adminMinLength : this.settings.minLength;
  }

  /**
   * Faults of a new password, as sentences; hashes nothing.
   * @param personal e-mail and names of the account
   */
  async faults(password: string, context: 'consumer' | 'admin', personal: readonly string[]): Promise<string[]> {
    const { leaked, portalName } = this.settings;
    const faults = await passwordFaults(password, {
      minimum: this.minimum(context),
      personal: [...personal, portalName],
    });
    if (faults.length === 0 && (await leaked?.includes(password))) faults.push('This password is known from a leak.');
    return faults;
  }

  /**
   * Never call this inside a transaction: it would hold its locks while waiting for a hashing slot.
   * @param personal e-mail and names of the account
   * @param last runs once the password is accepted; if it throws, nothing is hashed
   * @throws ValidationError on `password`; ServiceUnavailableError when the queue is full
   */
  async hash(
    password: string,
    context: 'consumer' | 'admin',
    personal: readonly string[],
    last?: () => Promise<void>,
  ): Promise<string> {
    const faults = await this.faults(password, context, personal);
    if (faults.length > 0) throw new ValidationError({ password: faults });
    await last?.();
    return this.settings.hasher.hash(password);
  }
}
