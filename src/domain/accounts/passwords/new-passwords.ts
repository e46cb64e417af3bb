import { ValidationError } from '../../../core/index.js';
import type { PasswordHasher } from '../contracts.js';
import { passwordFaults } from './password-policy.js';

/** Tells whether a password is in a known leak. */
export interface LeakedPasswords {
  includes(password: string): Promise<boolean>;
}

export interface NewPasswordSettings {
  readonly hasher: PasswordHasher;
  /** Least characters of a developer's password. */
  readonly minLength: number;
  readonly adminMinLength: number;
  readonly portalName: string;
  readonly leaked?: LeakedPasswords | undefined;
}

/** The only way from a new password to a hash, so that no path skips the policy (S01, S04, S05). */
export class NewPasswords {
  constructor(private readonly settings: NewPasswordSettings) {}

  /** Least characters of a new password. */
  minimum(context: 'consumer' | 'admin'): number {
    return context === 'admin' ? this.settings.adminMinLength : this.settings.minLength;
  }

  /**
   * What is wrong with a new password, in sentences; nothing is hashed.
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
   * Never call this inside a transaction: hashing waits for a free slot while the transaction would hold its locks.
   * @param personal e-mail and names of the account
   * @param last asked once the password would do: what it throws keeps it from being hashed
   * @throws ValidationError on `password`; ServiceUnavailableError when too many are waiting
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
