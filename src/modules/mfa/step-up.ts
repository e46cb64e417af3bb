import type { AccountRepository, RequestInfo, StepUp } from '../../index.js';
import { TooManyAttemptsError } from '../../index.js';
import type { Challenges } from './challenges.js';
import type { CodeCheck } from './code-check.js';
import type { Factors } from './factors.js';
import type { SignedInAccount } from './mfa-accounts.js';
import type { MfaMails } from './mfa-mails.js';
import type { ProvenFactors } from './proven-factors.js';

interface StepUpParts {
  readonly factors: Factors;
  readonly proofs: ProvenFactors;
  readonly challenges: Challenges;
  readonly codes: CodeCheck;
  readonly mails: MfaMails;
  readonly directory: AccountRepository;
}

/** Accounts with a factor must also prove it to reauthenticate: to reveal keys, change roles or factors (S80). */
export class FactorStepUp implements StepUp {
  constructor(private readonly parts: StepUpParts) {}

  async question(actor: SignedInAccount): Promise<{ readonly words: string } | null> {
    const factors = await this.parts.factors.list(actor);
    if (factors.length === 0) return null;
    if (factors.some(({ type }) => type === 'totp')) return { words: 'mfa.step-up.totp' };
    await this.mailCode(actor);
    return { words: 'mfa.step-up.email' };
  }

  async verify(actor: SignedInAccount, code: string, request: RequestInfo): Promise<boolean> {
    const { codes, challenges, directory, proofs } = this.parts;
    const { account } = await directory.find(actor);
    const challenge = (await challenges.findNewest('step-up', actor)) ?? undefined;
    const isRight = await codes.verify({ account, code, challenge, sid: actor.sid }, request);
    // A mailed code works once.
    const isProved = isRight && (challenge === undefined || (await challenges.redeem(challenge)));
    if (isProved) proofs.add(account, request);
    return isProved;
  }

  // Called often and automatically: a recently mailed code is enough.
  private async mailCode(actor: SignedInAccount): Promise<void> {
    const { challenges, mails, directory } = this.parts;
    const { account } = await directory.find(actor);
    const open = (await challenges.findNewest('step-up', actor)) ?? (await challenges.issue('step-up', account));
    try {
      await mails.sendCode(account, await challenges.drawCode(open, actor));
    } catch (error) {
      if (!(error instanceof TooManyAttemptsError)) throw error;
    }
  }
}
