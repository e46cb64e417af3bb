import type { AccountGate, AccountRef, GateRefusal } from '../../index.js';
import { MfaEnrolmentRequiredError } from './errors.js';
import type { Factors } from './factors.js';
import type { SignedInAccount } from './mfa-accounts.js';

/** So many sign-ins are remembered as cleared; forgetting one costs a query. */
const REMEMBERED = 10_000;

/**
 * Sign-ins that are older than the duty to have a factor: they reach nothing else before they have one (S79). Sign-ins that
 * begin later have met the duty at their login. What may still be done, the routes and pages say themselves (`leadsOut`): to see to
 * the factor, to prove oneself for that, and to leave.
 */
export class EnrolmentGate {
  private readonly cleared = new Set<string>();

  constructor(
    private readonly factors: Factors,
    private readonly isRequired: (owner: AccountRef) => boolean,
  ) {}

  readonly gate: AccountGate = async (actor, entrance) => {
    if (entrance.leadsOut || !this.isRequired(actor)) return null;
    return (await this.isMet(actor)) ? null : refusal();
  };

  // To lose the last factor ends every sign-in, so one that was cleared stays so.
  private async isMet(actor: SignedInAccount): Promise<boolean> {
    if (this.cleared.has(actor.sid)) return true;
    if ((await this.factors.list(actor)).length === 0) return false;
    if (this.cleared.size >= REMEMBERED) this.cleared.clear();
    this.cleared.add(actor.sid);
    return true;
  }
}

function refusal(): GateRefusal {
  return { error: new MfaEnrolmentRequiredError(), page: '/settings/mfa' };
}
