import type { RequestInfo } from '../../core/index.js';
import { requireEmail } from '../accounts/index.js';
import type { AuthFlowInterface, RegistrationCandidate } from './contracts.js';
import { RegistrationRefusedError } from './errors.js';

const NOT_OPEN = 'Registration is not open to this e-mail address.';

/** Asks the rules of the portal whether somebody may have an account under an address. */
export class Admission {
  /** @param flow the one that is asked then: a module may have wrapped it meanwhile */
  constructor(private readonly flow: () => Pick<AuthFlowInterface, 'mayRegister'>) {}

  /**
   * Before anything is stored, hashed or mailed.
   * @throws RegistrationRefusedError, ValidationError on `email` for what is no address
   */
  async require({ email, firstName, lastName }: RegistrationCandidate, request: RequestInfo): Promise<void> {
    const candidate = { email: requireEmail(email), firstName: firstName.trim(), lastName: lastName.trim() };
    // A flow in JavaScript may answer with anything: only a plain yes lets somebody in.
    const verdict: unknown = await this.flow().mayRegister(candidate, request);
    if (verdict === true) return;
    throw new RegistrationRefusedError(typeof verdict === 'string' && verdict.trim() !== '' ? verdict : NOT_OPEN);
  }
}
