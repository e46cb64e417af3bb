import { ForbiddenError, type Background, type RequestInfo } from '../../core/index.js';
import { EmailTakenError, type UserService, type UserStatus } from '../accounts/index.js';
import type { AccountRepository } from './account-repository.js';
import type { AuthAccount } from './account.js';
import type { Admission } from './admission.js';
import type { AttemptLimits } from './attempt-limits.js';
import type { EmailConfirmation } from './email-confirmation.js';

export interface RegistrationInput {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly password: string;
  /** Locale of the mails that follow. */
  readonly locale: string;
}

export type RegistrationOutcome =
  | { readonly kind: 'registered'; readonly account: AuthAccount }
  /** `accounts.verifyEmail`: the link must be opened first. Also returned when the address is taken (S10). */
  | { readonly kind: 'check-email' }
  /** New accounts are inactive until an admin activates them. */
  | { readonly kind: 'awaiting-approval' };

interface RegistrationParts {
  readonly users: Pick<UserService, 'create'>;
  readonly directory: AccountRepository;
  readonly admission: Admission;
  readonly limits: AttemptLimits;
  readonly confirmation: EmailConfirmation;
  readonly background: Background;
  readonly settings: RegistrationSettings;
}

export interface RegistrationSettings {
  readonly registration: boolean;
  readonly defaultStatus: UserStatus;
  readonly verifyEmail: boolean;
}

/** Self-registration of developers. */
export class RegistrationService {
  constructor(private readonly parts: RegistrationParts) {}

  /** @throws ForbiddenError when sign-up is closed, ValidationError, TooManyAttemptsError */
  async register(input: RegistrationInput, request: RequestInfo): Promise<RegistrationOutcome> {
    const { admission, limits, settings } = this.parts;
    if (!settings.registration) throw new ForbiddenError({ detail: 'accounts.registration is off' });
    await admission.require(input, request);
    if (settings.verifyEmail) return this.registerSilently(input);
    // Returned through the limit and thrown afterwards: an attempt that throws is not counted.
    const result = await limits.registration<RegistrationOutcome | EmailTakenError>(request, async () => {
      try {
        return { result: await this.create(input), outcome: 'passed' };
      } catch (error) {
        if (error instanceof EmailTakenError) return { result: error, outcome: 'failed' };
        throw error;
      }
    });
    if (result instanceof EmailTakenError) throw result;
    return result;
  }

  // Identical responses whether or not the address is taken (S10): the password is hashed before the row is refused,
  // and mails are written in the background.
  private async registerSilently(input: RegistrationInput): Promise<RegistrationOutcome> {
    const { users, settings, confirmation, background } = this.parts;
    try {
      const user = await users.create({ ...input, status: settings.defaultStatus }, undefined, { hidesTaken: true });
      background.start('a confirmation mail', () => confirmation.send(user, input.locale));
    } catch (error) {
      if (!(error instanceof EmailTakenError)) throw error;
      background.start('a notice to the owner of an address', () =>
        confirmation.notifyOwner(input.email, input.locale),
      );
    }
    return { kind: 'check-email' };
  }

  private async create(input: RegistrationInput): Promise<RegistrationOutcome> {
    const { users, directory, settings } = this.parts;
    const { id, status } = await users.create({ ...input, status: settings.defaultStatus });
    if (status === 'inactive') return { kind: 'awaiting-approval' };
    return { kind: 'registered', account: (await directory.find({ context: 'consumer', id })).account };
  }
}
