import { changeRecord, lockRecord, type Database, type Transaction } from '../../database/index.js';
import { nextVersion, type Clock, type EventBus } from '../../core/index.js';
import { requireEmail } from './account-input.js';
import { UserUpdatedEvent } from './events.js';
import { userRecord, type UserRecord } from './user.js';

interface UserAddressParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** E-mail addresses of developers: confirmation, and changes that wait for the new mailbox's owner to agree. */
export class UserAddresses {
  constructor(private readonly parts: UserAddressParts) {}

  /**
   * Stores a pending address that replaces the present one once its owner agrees; nothing else changes yet (S70).
   * @param ask runs in the same transaction
   * @throws NotFoundError, ValidationError on `email`
   */
  async setPending(
    id: number,
    typed: string,
    ask: (email: string, transaction: Transaction) => Promise<void>,
  ): Promise<UserRecord> {
    const { database, clock } = this.parts;
    const email = requireEmail(typed);
    return database.transaction(async (transaction) => {
      const before = await lockRecord(userRecord, database, id, undefined, transaction);
      const values = { pendingEmail: email, updatedAt: nextVersion(clock.now(), before) };
      await userRecord.update(database, { id }, values, transaction);
      await ask(email, transaction);
      return userRecord.require(database, { id }, { transaction });
    });
  }

  /**
   * Makes an address the account's own and marks it confirmed.
   * @param first runs first in the transaction, with the record as it was; if it throws, nothing changes
   * @throws NotFoundError, ValidationError on `email` when another account has taken the address meanwhile
   */
  async confirm(
    id: number,
    email: string,
    first: (before: UserRecord, transaction: Transaction) => Promise<void>,
  ): Promise<UserRecord> {
    const { database } = this.parts;
    return database.transaction((transaction) =>
      changeRecord(userRecord, this.parts, transaction, {
        id,
        plan: async (before, now) => {
          await first(before, transaction);
          return { values: { email, pendingEmail: null, emailVerifiedAt: now }, isTouched: true };
        },
        read: () => userRecord.require(database, { id }, { transaction }),
        announce: (user, changes, occurredAt) => [new UserUpdatedEvent({ user, changes, occurredAt })],
      }),
    );
  }
}
