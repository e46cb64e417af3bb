import type { AccountGate, AccountRef, GateRefusal } from '../../index.js';
import { MfaEnrolmentRequiredError } from './errors.js';
import type { Factors } from './factors.js';
import type { SignedInAccount } from './mfa-accounts.js';

/** Number of sessions remembered as passed; forgetting one costs a query. */
const REMEMBERED = 10_000;

/**
 * Blocks sessions that predate the factor requirement until a factor is set up (S79). Later sessions have met it at
 * login. Routes and pages that remain reachable declare it (`leadsOut`): to manage factors, to reauthenticate for that,
 * and to sign out.
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

  // Losing the last factor ends every session, so a session that passed stays valid.
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
