import { Redirect, View, type AuthContext, type FormState, type Visit } from '../../index.js';
import type { ChallengePurpose } from './challenges.js';
import { InvalidChallengeError } from './errors.js';
import type { LoginGate } from './login-gate.js';

/** A visitor who typed a password but is not signed in yet. */
export type Guest = Visit<null>;
export type Half = Awaited<ReturnType<LoginGate['open']>>;

/** Without an open challenge the login starts over. */
const OVER = new Redirect('/login', 'mfa-over');

/** The open challenge behind the browser's cookie. */
export class OpenChallenge {
  constructor(
    private readonly gate: LoginGate,
    private readonly purpose: ChallengePurpose,
    private readonly context: AuthContext,
  ) {}

  /** Runs `work` with the open challenge, or redirects to the login. */
  async useChallenge<T>(visit: Guest, work: (half: Half) => Promise<T>): Promise<T | Redirect> {
    const token = visit.session.challenge;
    if (token === null) return OVER;
    try {
      return await work(await this.gate.open(token, this.purpose, this.context));
    } catch (error) {
      if (error instanceof InvalidChallengeError) return OVER;
      throw error;
    }
  }

  /** The same for a submitted form, which counts towards the login limit of the IP address. */
  async useForSubmit<T>(visit: Guest, work: (half: Half) => Promise<T>): Promise<T | Redirect> {
    await visit.services.auth.guard.throttle('credentials', visit.request.info);
    return this.useChallenge(visit, work);
  }

  /** Shows a form again with its challenge; without one, the page `mfa-over`. */
  showAgain(form: (visit: Guest, half: Half, state: FormState) => Promise<View>) {
    return async (visit: Guest, state: FormState): Promise<View> => {
      const outcome = await this.useChallenge(visit, (half) => form(visit, half, state));
      return outcome instanceof View ? outcome : new View('mfa-over', {}, { status: 422 });
    };
  }
}
