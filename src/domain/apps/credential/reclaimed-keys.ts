import type { Transaction } from '../../../database/index.js';
import { UserReclaimedEvent, type UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { revoke } from '../app/approval.js';
import { KeysClosingEvent } from '../events.js';
import { statePayload } from '../gateway-operations/operation.js';

const REASON = 'Revoked when the address of the account was proved by a new password. Restore it if it is yours.';

/**
 * Closes every key of an account that its owner took over, since whoever made the account may have copied them. The log
 * entries are written with the password reset, so that the keys close even if the gateway is down now (R14). They are
 * revoked in the developer's name, who may restore them.
 */
export function closeReclaimedKeys(parts: AppParts): void {
  const { events, recovery } = parts;
  events.within(UserReclaimedEvent, ({ user }, transaction) => logClosing(parts, user, transaction));
  events.on(UserReclaimedEvent, ({ user }) => recovery().settleDeveloper(user.id));
}

async function logClosing(parts: AppParts, user: UserRecord, transaction: Transaction): Promise<void> {
  const { operationLog, reader, events, clock } = parts;
  const by = { type: 'developer', id: user.id } as const;
  const keys = await reader.openCredentialsOf(user.id, clock.now(), transaction);
  for (const credential of keys) {
    const payload = statePayload(revoke(credential, by, REASON), by);
    const target = { userId: user.id, appId: credential.appId, credentialId: credential.id, productId: null };
    await operationLog.open({ kind: 'key.status', payload, ...target }, transaction);
  }
  const fact = { user, keys: keys.length, occurredAt: clock.now() };
  if (keys.length > 0) await events.emit(new KeysClosingEvent(fact), transaction);
}
