import { Op, type Database, type Transaction } from '../../../database/index.js';
import { currentActorContext, type Clock, type EventBus, type RequestInfo } from '../../../core/index.js';
import { accountRecord, type AccountRef } from '../account.js';
import { TokenRevokedEvent, type RevocationReason } from '../events.js';
import { findEndings, type EndedSession } from '../session-queries.js';
import { sessionRecord } from '../session.js';

interface RevocationParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** For changes made outside of a request. */
const NO_REQUEST: RequestInfo = { requestId: '', ip: '', userAgent: '' };

/** Announces each session whose refresh tokens end, for whatever reason, in the same transaction. */
export class TokenRevocations {
  constructor(private readonly parts: RevocationParts) {}

  /** The active API sessions of an account except `keepSid`; locked, so that each ends only once and for one reason. */
  async of(
    { context, id }: AccountRef,
    keepSid: string | undefined,
    transaction: Transaction,
  ): Promise<EndedSession[]> {
    const { database, clock } = this.parts;
    const sessions = await sessionRecord.findAll(
      database,
      {
        ...{ context, accountId: id, channel: 'api', revokedAt: null },
        ...{ expiresAt: { [Op.gt]: clock.now() }, sid: { [Op.ne]: keepSid ?? '' } },
      },
      { only: ['sid'], order: 's.sid', lock: true, transaction },
    );
    if (sessions.length === 0) return [];
    const account = await accountRecord(context).find(database, { id }, { only: ['email'], transaction });
    return sessions.map(({ sid }) => ({ sid, context, accountId: id, email: account?.email ?? null }));
  }

  /** The API sessions among some that were just ended or are locked; browser sessions have no tokens. */
  async among(sids: readonly string[], transaction: Transaction): Promise<EndedSession[]> {
    if (sids.length === 0) return [];
    return findEndings(this.parts.database, sids, this.parts.clock.now(), transaction);
  }

  async announce(
    ended: readonly EndedSession[],
    reason: RevocationReason,
    transaction: Transaction,
    request: RequestInfo = currentActorContext().request ?? NO_REQUEST,
  ): Promise<void> {
    const { events, clock } = this.parts;
    for (const ending of ended) {
      const fact = { ...ending, reason, request, occurredAt: clock.now() };
      await events.emit(new TokenRevokedEvent(fact), transaction);
    }
  }
}
