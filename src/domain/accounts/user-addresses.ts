import type { Transaction } from '../../database/index.js';
import { nextVersion, type Clock, type EventBus } from '../../core/index.js';
import { changesOf, refuseTakenEmail, requireEmail } from './account-input.js';
import { UserUpdatedEvent } from './events.js';
import { UserReader, type UserReaderParts } from './user-reader.js';
import { userModel, type UserRecord } from './user.js';

interface UserAddressParts extends UserReaderParts {
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** The addresses of developers: proving one, and changing it only once the owner of the other has agreed. */
export class UserAddresses extends UserReader {
  constructor(private readonly parts: UserAddressParts) {
    super(parts);
  }

  /**
   * Notes an address that shall replace the present one once its owner agrees; nothing else changes yet (S70).
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
      const before = await this.lock(id, transaction);
      const values = { pendingEmail: email, updatedAt: nextVersion(clock.now(), before) };
      await userModel(database).update(values, { where: { id }, transaction });
      await ask(email, transaction);
      return this.require(id, transaction);
    });
  }

  /**
   * The owner of an address has agreed: it is the account's, and proved.
   * @param first runs first in the transaction, with the record as it was; what it throws keeps everything
   * @throws NotFoundError, ValidationError on `email` when another account has taken the address meanwhile
   */
  async confirm(
    id: number,
    email: string,
    first: (before: UserRecord, transaction: Transaction) => Promise<void>,
  ): Promise<UserRecord> {
    const { database, events, clock } = this.parts;
    return refuseTakenEmail(() =>
      database.transaction(async (transaction) => {
        const before = await this.lock(id, transaction);
        await first(before, transaction);
        const now = clock.now();
        const proved = { email, pendingEmail: null, emailVerifiedAt: now };
        await userModel(database).update(
          { ...proved, updatedAt: nextVersion(now, before) },
          { where: { id }, transaction },
        );
        const user = await this.require(id, transaction);
        const changes = changesOf(before, proved) ?? {};
        await events.emit(new UserUpdatedEvent({ user, changes, occurredAt: now }), transaction);
        return user;
      }),
    );
  }
}
