import { Redirect, View, type FormState, type Visit } from '../../../index.js';
import type { ChallengePurpose } from '../challenges.js';
import { InvalidChallengeError } from '../errors.js';
import type { LoginGate } from '../login-gate.js';

/** Somebody who typed a password, and is nobody yet. */
export type Guest = Visit<null>;
export type Half = Awaited<ReturnType<LoginGate['open']>>;

/** Without an open challenge there is nothing to ask for: back to the password. */
const OVER = new Redirect('/login', 'mfa-over');

/** The challenge that the cookie of a browser stands for, for as long as it is open. */
export class OpenChallenge {
  constructor(
    private readonly gate: LoginGate,
    private readonly purpose: ChallengePurpose,
  ) {}

  /** Does something about an open challenge, or leads back. */
  async within<T>(visit: Guest, work: (half: Half) => Promise<T>): Promise<T | Redirect> {
    const token = visit.session.challenge;
    if (token === null) return OVER;
    try {
      return await work(await this.gate.open(token, this.purpose, 'consumer'));
    } catch (error) {
      if (error instanceof InvalidChallengeError) return OVER;
      throw error;
    }
  }

  /** The same for a form that was sent: counted with the logins of its address. */
  async sent<T>(visit: Guest, work: (half: Half) => Promise<T>): Promise<T | Redirect> {
    await visit.services.auth.guard.throttle('credentials', visit.request.info);
    return this.within(visit, work);
  }

  /** A form shown again needs its challenge again; in its place a page says that it is over. */
  again(form: (visit: Guest, half: Half, state: FormState) => Promise<View>) {
    return async (visit: Guest, state: FormState): Promise<View> => {
      const outcome = await this.within(visit, (half) => form(visit, half, state));
      return outcome instanceof View ? outcome : new View('mfa-over', {}, { status: 422 });
    };
  }
}
