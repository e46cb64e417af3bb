import { appRecord, transferRecord } from '../app/app.js';
import type { AppParts } from '../app-parts.js';
import { credentialRecord } from '../credential/credential.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import { byIn, type Compensation, type LoggedOperation, planCompensation, stateIn } from './operation.js';
import { appDeletion, appStatusChange, appTransfer, appUpdate } from './app-operations.js';
import { grantRemoval, grantStatusChange } from './grant-operations.js';
import { planLimitsRepair } from './limit-operations.js';
import { keyDeletion, keyStatusChange } from './key-operations.js';
import type { Changes } from '../../../core/index.js';

/** Determines how to settle an interrupted change of an app. */
export class Compensations {
  constructor(private readonly parts: AppParts) {}

  /** @returns null when nothing is left to do */
  async plan(entry: LoggedOperation): Promise<Compensation | null> {
    const { reader } = this.parts;
    if (entry.appId === null) return null;
    const owner = await reader.findOwner(entry.userId);
    const owned = owner && (await reader.findAnyApp(owner, entry.appId));
    if (entry.kind === 'app.create') return this.planForCreation(entry, entry.appId, owned);
    // Deleting the app deleted everything in it, also at the gateway.
    if (!owned || owned.app.syncState === 'creating') return null;
    if (entry.kind === 'app.limits') return planLimitsRepair(this.parts, owned, entry.productId ?? 0);
    if (entry.kind === 'app.transfer') return this.planForTransfer(entry, owned);
    if (entry.kind.startsWith('app.')) return this.planForApp(entry, owned);
    const isNew = entry.kind === 'key.create' || entry.kind === 'key.rotate';
    if (isNew) return this.planForNewKey(entry, owned);
    const credential = await reader.findAnyCredential(owned, entry.credentialId ?? 0);
    if (!credential || credential.credential.syncState === 'creating') return null;
    if (entry.kind === 'key.end') return this.planForEnd(credential);
    return entry.kind.startsWith('key.') ? this.planForKey(entry, credential) : this.planForGrant(entry, credential);
  }

  // Nobody has seen its key. A complete row was finished by a later attempt.
  private planForCreation(entry: LoggedOperation, id: number, owned: OwnedApp | null): Compensation | null {
    const { gateway, database } = this.parts;
    if (owned && owned.app.syncState !== 'creating') return null;
    const { email, name } = entry.payload as { email: string; name: string };
    const identity = { owner: { id: entry.userId, email }, app: { id, name, gatewayName: null } };
    return {
      compensate: () => gateway.removeApp(identity),
      release: async (transaction) => {
        await appRecord.remove(database, { id, syncState: 'creating' }, transaction);
      },
    };
  }

  private planForApp(entry: LoggedOperation, owned: OwnedApp): Compensation | null {
    const { parts } = this;
    const by = byIn(entry.payload);
    switch (entry.kind) {
      case 'app.update':
        return planCompensation(appUpdate(parts, owned, entry.payload.changes as Changes, by));
      case 'app.status':
        return planCompensation(appStatusChange(parts, owned, stateIn(entry).next, by));
      case 'app.delete':
        return planCompensation(appDeletion(parts, owned, by));
      default:
        return null;
    }
  }

  // It is still the old owner's here: otherwise the change was committed.
  private async planForTransfer(entry: LoggedOperation, owned: OwnedApp): Promise<Compensation | null> {
    const { reader, database } = this.parts;
    const to = await reader.findOwner(Number(entry.payload.to));
    if (!to) return null;
    const id = entry.payload.transfer === null ? null : Number(entry.payload.transfer);
    const change = appTransfer(this.parts, owned, { id, to }, byIn(entry.payload));
    if (id === null || (await transferRecord.has(database, { id, takenBy: null }))) return planCompensation(change);
    return change.compensate && { compensate: change.compensate };
  }

  private async planForNewKey(entry: LoggedOperation, owned: OwnedApp): Promise<Compensation | null> {
    const { gateway, reader, database } = this.parts;
    const id = entry.credentialId ?? 0;
    const made = await reader.findAnyCredential(owned, id);
    if (made && made.credential.syncState !== 'creating') return null;
    const old = await reader.findAnyCredential(owned, Number(entry.payload.old ?? 0));
    return {
      compensate: async () => {
        await gateway.removeUnfinished(owned, id);
        if (old) await gateway.restoreKey(old);
      },
      release: async (transaction) => {
        await credentialRecord.remove(database, { id, syncState: 'creating' }, transaction);
      },
    };
  }

  // For a key that the gateway cannot expire itself.
  private planForEnd(owned: OwnedCredential): Compensation | null {
    const { gateway, clock } = this.parts;
    const { expiresAt } = owned.credential;
    if (expiresAt === null || expiresAt > clock.now()) return null;
    return { compensate: () => gateway.setKeyStatus(owned, 'revoked') };
  }

  private planForKey(entry: LoggedOperation, owned: OwnedCredential): Compensation | null {
    if (entry.kind === 'key.delete') return planCompensation(keyDeletion(this.parts, owned, byIn(entry.payload)));
    const { next, by } = stateIn(entry);
    return planCompensation(keyStatusChange(this.parts, owned, next, by));
  }

  private async planForGrant(entry: LoggedOperation, owned: OwnedCredential): Promise<Compensation | null> {
    const { gateway, reader } = this.parts;
    const grants = await reader.grantsOf([owned.credential.id]);
    const grant = grants.find(({ productId }) => productId === entry.productId);
    if (entry.kind === 'grant.add') {
      const product = String(entry.payload.gatewayProductId);
      if (!grant) return { compensate: () => gateway.removeGatewayProduct(owned, product) };
      return { compensate: () => gateway.setProduct({ ...owned, grant }, grant.status) };
    }
    if (!grant) return null;
    const present = { ...owned, grant };
    if (entry.kind === 'grant.plan') return { compensate: () => gateway.setPlan(present) };
    if (entry.kind === 'grant.remove') return planCompensation(grantRemoval(this.parts, present, byIn(entry.payload)));
    const { next, by } = stateIn(entry);
    return planCompensation(grantStatusChange(this.parts, present, next, by));
  }
}
