import { Op, type Transaction } from '../../../database/index.js';
import type { IssuedKey } from '../../../gateway/index.js';
import { ConflictError, NotFoundError } from '../../../core/index.js';
import { appRecord } from '../app/app.js';
import type { KeyPlan } from '../gateway-operations/app-gateway.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import { startApproval } from '../app/approval.js';
import { requireOwnerRoom } from '../app/owner-room.js';
import { credentialRecord, keyHint } from './credential.js';
import { grantRecord, NO_NEXT_PLAN, NO_TERMS, rowOfGrant, type GrantRecord } from './grant.js';
import type { PlannedProduct } from './key-terms.js';
import { startTrials } from './start-trials.js';

/** Grants of a key that has no id yet. */
export type GrantDraft = Omit<GrantRecord, 'credentialId'>;

/** Initial grants of a key. */
export function newGrants(products: readonly PlannedProduct[], now: Date): GrantDraft[] {
  return products.map(({ id, slug, name, gatewayProductId, approval, plan }) => ({
    productId: id,
    slug,
    name,
    gatewayProductId,
    ...startApproval(plan?.approval === 'manual' ? 'manual' : approval, now),
    planVersionId: plan?.versionId ?? null,
    planDay: plan && now.getUTCDate(),
    trialEndsAt: null,
    ...NO_NEXT_PLAN,
    ...{ plan: null, nextPlan: null, ...NO_TERMS },
  }));
}

/** The steps of every new credential: reserve its row, get its key from the gateway, finish. */
export class CredentialIssuer {
  constructor(private readonly parts: AppParts) {}

  /**
   * Reserves one of the app's key slots, counted under a lock, so that parallel requests never exceed the limit (R20).
   * @param replacing the new credential takes over the slot of another one, which stays until it ends
   * @throws ConflictError when all slots are taken, of the app or of the team that owns it
   */
  async reserve(
    { app, owner }: OwnedApp,
    grants: readonly GrantDraft[],
    expiresAt: Date | null,
    replacing: boolean,
    transaction: Transaction,
  ): Promise<KeyPlan> {
    const { database, settings } = this.parts;
    const limit = settings.keysPerApp;
    if (!replacing) await requireOwnerRoom(this.parts, owner.id, { apps: 0, keys: 1 }, transaction);
    await appRecord.require(database, { id: app.id }, { transaction, lock: true });
    const taken = await this.count(app.id, replacing, transaction);
    if (taken >= limit) {
      const fault = replacing
        ? `At most ${limit} replaced keys of an app may be alive; revoke one or wait until it ends.`
        : `An app has at most ${limit} keys.`;
      throw new ConflictError({ errors: { credentials: [fault] } });
    }
    return this.insert(app.id, grants, expiresAt, transaction);
  }

  /** Inserts the rows of a credential that is being created. */
  async insert(
    appId: number,
    grants: readonly GrantDraft[],
    expiresAt: Date | null,
    transaction: Transaction,
  ): Promise<KeyPlan> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const times = { createdAt: now, updatedAt: now };
    const credentialId = await credentialRecord.insert(
      database,
      { appId, keyHint: '', ...startApproval('auto', now), issuedAt: now, expiresAt, syncState: 'creating', ...times },
      transaction,
    );
    const termsOf = await this.parts.reader.termsOf(appId, transaction);
    const records = grants.map((grant) => ({ ...grant, credentialId, ...termsOf(grant.productId) }));
    for (const record of records) {
      await grantRecord.insert(database, { ...rowOfGrant(record), ...times }, transaction);
    }
    return { credentialId, expiresAt, grants: records };
  }

  /** Makes the credential visible. @throws NotFoundError when its row is gone, with its app */
  async finish(owned: OwnedApp, plan: KeyPlan, key: IssuedKey, transaction: Transaction): Promise<OwnedCredential> {
    const { database, gateway, reader } = this.parts;
    const id = plan.credentialId;
    const made = { keyHint: keyHint(key.consumerKey), gatewayKeyRef: gateway.encryptKeyRef(id, key.keyRef) };
    const synced = { ...made, syncState: 'synced' } as const;
    const matched = await credentialRecord.update(database, { id, syncState: 'creating' }, synced, transaction);
    if (matched === 0) throw new NotFoundError();
    await startTrials(this.parts, owned.owner.id, plan.grants, transaction);
    return reader.findCredential(owned, plan.credentialId, transaction);
  }

  /** Removes the rows of a credential that nobody has seen. */
  async abandon(credentialId: number, transaction: Transaction): Promise<void> {
    await credentialRecord.remove(this.parts.database, { id: credentialId, syncState: 'creating' }, transaction);
  }

  private count(appId: number, replaced: boolean, transaction: Transaction): Promise<number> {
    const { database, clock } = this.parts;
    if (!replaced) return credentialRecord.count(database, { appId, replacedBy: null }, transaction);
    const isAlive = {
      status: { [Op.ne]: 'revoked' },
      expiresAt: { [Op.or]: [null, { [Op.gt]: clock.now() }] },
    } as const;
    return credentialRecord.count(database, { appId, replacedBy: { [Op.ne]: null }, ...isAlive }, transaction);
  }
}
