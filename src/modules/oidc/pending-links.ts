import { addSeconds, View, type Clock, type Encrypter } from '../../index.js';
import type { Claims } from './identity-provider.js';

const LIFETIME = 300;

interface Pending {
  readonly userId: number;
  readonly provider: string;
  readonly claims: Claims;
  readonly until: number;
}

/**
 * A proven identity that awaits its owner's confirmation, encrypted into the confirmation form. Valid for the account
 * it was proved for, for five minutes; linking it twice changes nothing.
 */
export class PendingLinks {
  constructor(
    private readonly encrypter: Encrypter,
    private readonly clock: Clock,
  ) {}

  keep(userId: number, provider: string, claims: Claims): string {
    const until = addSeconds(this.clock.now(), LIFETIME).getTime();
    const pending: Pending = { userId, provider, claims, until };
    return this.encrypter.encrypt(JSON.stringify(pending), contextOf(userId));
  }

  /** null if it has expired or was not made for this account. */
  open(userId: number, encrypted: string): Pick<Pending, 'provider' | 'claims'> | null {
    try {
      const pending = JSON.parse(this.encrypter.decrypt(encrypted, contextOf(userId))) as Pending;
      return pending.until > this.clock.now().getTime() ? pending : null;
    } catch {
      return null;
    }
  }
}

/** Asks for confirmation that the identity belongs to the account. */
export function confirmView(token: string, label: string, { email, firstName, lastName, subject }: Claims): View {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return new View('oidc-confirm', { token, label, who: email ?? (name || subject) });
}

function contextOf(userId: number): string {
  return `oidc:link:${userId}`;
}
