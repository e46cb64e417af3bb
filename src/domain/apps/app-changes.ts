import type { Transaction } from '../../database/index.js';
import { ConflictError, nextVersion, NotFoundError } from '../../kernel/index.js';
import { appModel, type AppRecord } from './app.js';
import type { AppParts } from './app-parts.js';
import type { OwnedApp, OwnedCredential } from './app-reader.js';
import type { Approvable } from './approval.js';
import { credentialModel } from './credential.js';
import { grantModel } from './grant.js';

/** The lease of an app, and the writes that its changes share. */
export class AppChanges {
  constructor(private readonly parts: AppParts) {}

  /**
   * Runs a change with the present state of an app, alone.
   * @throws NotFoundError when it is gone, ConflictError while it is being deleted
   */
  async ofApp<T>(owned: OwnedApp, run: (present: OwnedApp) => Promise<T>): Promise<T> {
    const { leases, reader } = this.parts;
    return leases.hold(owned.app.id, async () => {
      const present = await reader.reloadApp(owned);
      if (present.app.syncState === 'creating') throw new NotFoundError();
      refuseHalfDeleted(present);
      return run(present);
    });
  }

  /** The same with the present state of one of its credentials, unless that is being deleted. */
  async ofCredential<T>(owned: OwnedCredential, run: (present: OwnedCredential) => Promise<T>): Promise<T> {
    return this.ofApp(owned, async (app) => {
      const present = await this.parts.reader.findCredential(app, owned.credential.id);
      refuseHalfDeleted(present);
      return run(present);
    });
  }

  async setApp(app: AppRecord, state: Approvable, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const values = { ...stateOf(state), updatedAt: nextVersion(clock.now(), app) };
    await appModel(database).update(values, { where: { id: app.id }, transaction });
  }

  async setCredential(id: number, state: Approvable, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const values = { ...stateOf(state), updatedAt: clock.now() };
    await credentialModel(database).update(values, { where: { id }, transaction });
  }

  async setGrant(credentialId: number, productId: number, state: Approvable, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const values = { ...stateOf(state), updatedAt: clock.now() };
    await grantModel(database).update(values, { where: { credentialId, productId }, transaction });
  }
}

/** Deleting again is all that may be done to what a deletion left behind. @throws ConflictError */
export function refuseHalfDeleted({ app, credential }: OwnedApp & Partial<OwnedCredential>): void {
  if (app.syncState === 'deleting') throw new ConflictError({ errors: { app: ['The app is being deleted.'] } });
  if (credential?.syncState === 'deleting') {
    throw new ConflictError({ errors: { credential: ['The key is being deleted.'] } });
  }
}

// Only the four fields: what is given may be a whole record.
function stateOf({ status, statusReason, revokedBy, approvedAt }: Approvable): Approvable {
  return { status, statusReason, revokedBy, approvedAt };
}
