import type { Database, Transaction } from '../../../database/index.js';
import { nextVersion, type Clock } from '../../../core/index.js';
import { appRecord, type AppRecord, type SyncState } from './app.js';
import type { Approvable } from './approval.js';
import { credentialRecord } from '../credential/credential.js';
import { grantRecord } from '../credential/grant.js';

/** The writes that changes of apps share. */
export class AppWrites {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async setApp(app: AppRecord, state: Approvable, transaction: Transaction): Promise<void> {
    const values = { ...stateOf(state), updatedAt: nextVersion(this.clock.now(), app) };
    await appRecord.update(this.database, { id: app.id }, values, transaction);
  }

  async setCredential(id: number, state: Approvable, transaction: Transaction): Promise<void> {
    const now = this.clock.now();
    const isRevoked = state.status === 'revoked';
    const values = { ...stateOf(state), updatedAt: now, ...(!isRevoked && { revokedAt: null }) };
    await credentialRecord.update(this.database, { id }, values, transaction);
    // A new reason does not change when the key was revoked.
    if (isRevoked)
      await credentialRecord.update(this.database, { id, revokedAt: null }, { revokedAt: now }, transaction);
  }

  async setGrant(credentialId: number, productId: number, state: Approvable, transaction: Transaction): Promise<void> {
    const values = { ...stateOf(state), updatedAt: this.clock.now() };
    await grantRecord.update(this.database, { credentialId, productId }, values, transaction);
  }

  async markApp(id: number, syncState: SyncState, transaction?: Transaction): Promise<void> {
    await appRecord.update(this.database, { id }, { syncState }, transaction);
  }

  async markCredential(id: number, syncState: SyncState, transaction?: Transaction): Promise<void> {
    await credentialRecord.update(this.database, { id }, { syncState }, transaction);
  }
}

/** Picks only the four fields: the argument may be a whole record. */
export function stateOf({ status, statusReason, revokedBy, approvedAt }: Approvable): Approvable {
  return { status, statusReason, revokedBy, approvedAt };
}
