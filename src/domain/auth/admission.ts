import type { RequestInfo } from '../../core/index.js';
import { requireEmail } from '../accounts/index.js';
import type { AuthFlowInterface, RegistrationCandidate } from './contracts.js';
import { RegistrationRefusedError } from './errors.js';

const NOT_OPEN = 'Registration is not open to this e-mail address.';

/** Checks the portal's rules on who may have an account under an address. */
export class Admission {
  /** @param flow looked up on each call: a module may have wrapped it meanwhile */
  constructor(private readonly flow: () => Pick<AuthFlowInterface, 'mayRegister'>) {}

  /**
   * Checks before anything is stored, hashed or mailed.
   * @throws RegistrationRefusedError, ValidationError on `email` if it is not an address
   */
  async require({ email, firstName, lastName }: RegistrationCandidate, request: RequestInfo): Promise<void> {
    const candidate = { email: requireEmail(email), firstName: firstName.trim(), lastName: lastName.trim() };
    // A flow in JavaScript may return anything: only `true` admits.
    const answer: unknown = await this.flow().mayRegister(candidate, request);
    if (answer === true) return;
    throw new RegistrationRefusedError(typeof answer === 'string' && answer.trim() !== '' ? answer : NOT_OPEN);
  }
}
