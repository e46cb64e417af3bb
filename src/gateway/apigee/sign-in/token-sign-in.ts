import { addSeconds, type Clock } from '../../../core/index.js';
import type { SignIn } from './sign-in.js';

export interface AccessToken {
  readonly value: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** A token is not used in the last minute of its life: it must still be good when it arrives. */
const LEEWAY_S = 60;

/** Tokens that end; a new one is fetched when it is time, once for all calls that wait. */
export class TokenSignIn implements SignIn {
  private current: { readonly authorization: string; readonly goodUntil: Date } | undefined;
  private fetching: Promise<string> | undefined;

  constructor(
    private readonly fetchToken: () => Promise<AccessToken>,
    private readonly clock: Clock,
  ) {}

  authorization(): Promise<string> {
    if (this.current && this.clock.now() < this.current.goodUntil) return Promise.resolve(this.current.authorization);
    return (this.fetching ??= this.fetch().finally(() => (this.fetching = undefined)));
  }

  renew(refused: string): boolean {
    if (this.current?.authorization === refused) this.current = undefined;
    return true;
  }

  private async fetch(): Promise<string> {
    const { value, lifetime } = await this.fetchToken();
    const authorization = `Bearer ${value}`;
    this.current = { authorization, goodUntil: addSeconds(this.clock.now(), Math.max(1, lifetime - LEEWAY_S)) };
    return authorization;
  }
}
