import type { Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';
import {
  AdminDeletedEvent,
  AdminUpdatedEvent,
  PasswordChangedEvent,
  UserDeletedEvent,
  UserStatusChangedEvent,
} from '../accounts/index.js';
import type { AccountRepository } from './account-repository.js';
import type { AttemptLimits } from './attempt-limits.js';
import type { SessionService } from './session-service.js';

const DISABLED = { reason: 'account_disabled' } as const;

/** Ends sessions (S25, S40) within the transaction of the change, so that the two are never out of step. */
export function endSessionsOnChange(events: EventBus<Transaction>, sessions: SessionService): void {
  events.within(PasswordChangedEvent, ({ context, accountId: id, keepSid, renewedSid }, transaction) =>
    sessions.endAll({ context, id }, keepSid, transaction, { renewedSid, reason: 'password_changed' }),
  );
  events.within(UserStatusChangedEvent, async ({ user, after }, transaction) => {
    if (after !== 'inactive') return;
    await sessions.endAll({ context: 'consumer', id: user.id }, undefined, transaction, DISABLED);
  });
  events.within(AdminUpdatedEvent, async ({ admin, changes }, transaction) => {
    if (changes.status && admin.status === 'inactive') {
      await sessions.endAll({ context: 'admin', id: admin.id }, undefined, transaction, DISABLED);
    }
  });
  events.within(AdminDeletedEvent, ({ admin }, transaction) =>
    sessions.forget({ context: 'admin', id: admin.id }, transaction),
  );
  events.within(UserDeletedEvent, ({ user }, transaction) =>
    sessions.forget({ context: 'consumer', id: user.id }, transaction),
  );
}

/** A new password lifts the lock caused by failed guesses at the old one (S13). */
export function unlockOnNewPassword(
  events: EventBus<Transaction>,
  directory: AccountRepository,
  limits: AttemptLimits,
): void {
  events.on(PasswordChangedEvent, async ({ context, accountId: id }) => {
    const { account } = await directory.find({ context, id });
    await limits.unlock(context, account.email);
  });
}
