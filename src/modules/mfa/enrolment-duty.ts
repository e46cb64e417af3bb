import type { AccountGate, AccountRef, Entrance, GateRefusal } from '../../index.js';
import { MfaEnrolmentRequiredError } from './errors.js';
import type { Factors } from './factors.js';
import type { SignedIn } from './mfa-accounts.js';

/** So many sign-ins are remembered as cleared; forgetting one costs a query. */
const REMEMBERED = 10_000;

/** What an account without the factor it must have may still do: see to it, prove itself for that, and leave. */
const OPEN: Readonly<Record<Entrance['surface'], RegExp>> = {
  api: /^(?:(?:begin|confirm)(?:Admin)?(?:Totp|EmailFactor)|get(?:Admin)?Mfa|reauthenticate(?:Admin)?|logout|adminLogout)$/,
  theme: /^(?:(?:get|post) \/settings\/mfa(?:\/.*)?|post \/logout|post \/locale\/:\w+)$/,
};

/**
 * Sign-ins that are older than the duty to have a factor: they reach nothing else before they have one (S79). Sign-ins that
 * begin later have met the duty at their login.
 */
export class EnrolmentDuty {
  private readonly cleared = new Set<string>();

  constructor(
    private readonly factors: Factors,
    private readonly isRequired: (owner: AccountRef) => boolean,
  ) {}

  readonly gate: AccountGate = async (actor, entrance) => {
    if (!this.isRequired(actor) || OPEN[entrance.surface].test(entrance.name)) return null;
    return (await this.isMet(actor)) ? null : refusal();
  };

  // To lose the last factor ends every sign-in, so one that was cleared stays so.
  private async isMet(actor: SignedIn): Promise<boolean> {
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
