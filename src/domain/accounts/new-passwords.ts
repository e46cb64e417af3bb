import { ValidationError } from '../../core/index.js';
import type { PasswordHasher } from './contracts.js';
import { passwordFaults } from './password-policy.js';

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
