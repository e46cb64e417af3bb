import type { Database, Transaction } from '../../../database/index.js';
import { nextVersion, type Clock } from '../../../core/index.js';
import { appModel, type AppRecord, type SyncState } from './app.js';
import type { Approvable } from './approval.js';
import { credentialModel } from '../credential/credential.js';
import { grantModel } from '../credential/grant.js';

/** The writes that changes of apps share. */
export class AppWrites {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async setApp(app: AppRecord, state: Approvable, transaction: Transaction): Promise<void> {
    const values = { ...stateOf(state), updatedAt: nextVersion(this.clock.now(), app) };
    await appModel(this.database).update(values, { where: { id: app.id }, transaction });
  }

  async setCredential(id: number, state: Approvable, transaction: Transaction): Promise<void> {
    const values = { ...stateOf(state), updatedAt: this.clock.now() };
    await credentialModel(this.database).update(values, { where: { id }, transaction });
  }

  async setGrant(credentialId: number, productId: number, state: Approvable, transaction: Transaction): Promise<void> {
    const values = { ...stateOf(state), updatedAt: this.clock.now() };
    await grantModel(this.database).update(values, { where: { credentialId, productId }, transaction });
  }

  async markApp(id: number, state: SyncState, transaction?: Transaction): Promise<void> {
    await this.database.execute('UPDATE portal_apps SET sync_state = ? WHERE id = ?', [state, id], { transaction });
  }

  async markCredential(id: number, state: SyncState, transaction?: Transaction): Promise<void> {
    const sql = 'UPDATE portal_credentials SET sync_state = ? WHERE id = ?';
    await this.database.execute(sql, [state, id], { transaction });
  }
}

/** Only the four fields: what is given may be a whole record. */
export function stateOf({ status, statusReason, revokedBy, approvedAt }: Approvable): Approvable {
  return { status, statusReason, revokedBy, approvedAt };
}
