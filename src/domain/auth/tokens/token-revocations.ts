import type { Database, Transaction } from '../../../database/index.js';
import { currentActorContext, type Clock, type EventBus, type RequestInfo } from '../../../core/index.js';
import type { AccountRef } from '../account.js';
import type { AuthContext } from '../actor.js';
import { TokenRevokedEvent, type RevocationReason } from '../events.js';

interface RevocationParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** An API session that ends early, and its owner. */
interface Ending {
  readonly sid: string;
  readonly context: AuthContext;
  readonly accountId: number;
  /** null when the account is gone. */
  readonly email: string | null;
}

/** For changes made outside of a request. */
const NO_REQUEST: RequestInfo = { requestId: '', ip: '', userAgent: '' };

const ENDING =
  'SELECT s.sid AS sid, s.context AS context, s.account_id AS accountId, COALESCE(u.email, a.email) AS email ' +
  'FROM portal_sessions AS s ' +
  "LEFT JOIN portal_users AS u ON s.context = 'consumer' AND u.id = s.account_id " +
  "LEFT JOIN portal_admins AS a ON s.context = 'admin' AND a.id = s.account_id " +
  "WHERE s.channel = 'api' AND s.expires_at > ? AND ";

/** Announces each session whose refresh tokens end, for whatever reason, in the same transaction. */
export class TokenRevocations {
  constructor(private readonly parts: RevocationParts) {}

  /** The active ones of an account, except one. */
  of({ context, id }: AccountRef, keepSid: string | undefined, transaction: Transaction): Promise<Ending[]> {
    const sql = `${ENDING} s.revoked_at IS NULL AND s.context = ? AND s.account_id = ? AND s.sid <> ? ORDER BY s.sid`;
    const values = [this.parts.clock.now(), context, id, keepSid ?? ''];
    return this.parts.database.select<Ending>(sql, values, { transaction });
  }

  /** The session that was just ended; empty for a browser session. */
  one(sid: string, transaction: Transaction): Promise<Ending[]> {
    return this.parts.database.select<Ending>(`${ENDING} s.sid = ?`, [this.parts.clock.now(), sid], { transaction });
  }

  /** The active ones of every account, from one `sid` (exclusive) to another. */
  between(after: string, last: string): Promise<Ending[]> {
    const sql = `${ENDING} s.revoked_at IS NULL AND s.sid > ? AND s.sid <= ? ORDER BY s.sid`;
    return this.parts.database.select<Ending>(sql, [this.parts.clock.now(), after, last]);
  }

  async announce(
    ended: readonly Ending[],
    reason: RevocationReason,
    transaction?: Transaction,
    request: RequestInfo = currentActorContext().request ?? NO_REQUEST,
  ): Promise<void> {
    const { events, clock } = this.parts;
    for (const ending of ended) {
      const fact = { ...ending, reason, request, occurredAt: clock.now() };
      await events.emit(new TokenRevokedEvent(fact), transaction);
    }
  }
}
