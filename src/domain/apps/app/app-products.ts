import { ForbiddenError, NotFoundError, ValidationError } from '../../../core/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp } from './app-reader.js';
import { requireNotClosedByAdmin, requireOpenApp, type Approver } from './approval.js';
import type { ProductChoice } from '../contracts.js';
import { CredentialService } from '../credential/credential-service.js';
import { credentialStatus, type CredentialRecord } from '../credential/credential.js';
import type { CredentialView } from '../credential/credential-read-model.js';
import { GrantService } from '../credential/grant-service.js';
import type { GrantRecord } from '../credential/grant.js';
import { isChoiceOf, keyEnd, requireLifetime, requireProducts, type PlannedProduct } from '../credential/key-terms.js';
import { appTarget } from '../gateway-operations/app-operations.js';
import { isAmbiguous, type LoggedOperation } from '../gateway-operations/operation.js';

/** What an app gains and loses; planned before anything is changed. */
export interface ProductChange {
  readonly added: readonly PlannedProduct[];
  readonly removed: readonly GrantRecord[];
  /** Keys that get the added products; if empty, the app gets a new key. */
  readonly keys: readonly CredentialRecord[];
  /** Lifetime of a new key in seconds. */
  readonly expiresIn: number | undefined;
}

/** The change as stored in a log entry, by ids. A first key is never made in recovery: nobody would see it. */
interface RestOfChange {
  readonly removed: readonly (readonly [credentialId: number, productId: number])[];
  readonly added: readonly ProductChoice[];
  readonly keys: readonly number[];
  readonly by: Approver;
}

/** Seconds after which a change counts as broken off: its steps take less, each of them a call or two. */
const PATIENCE_S = 40;

/**
 * The products of an app as a whole, across its keys. Writing back what was read changes nothing, even if the keys
 * differ.
 */
export class AppProducts {
  private readonly credentials: CredentialService;
  private readonly grants: GrantService;

  constructor(private readonly parts: AppParts) {
    this.credentials = new CredentialService(parts);
    this.grants = new GrantService(parts);
  }

  /**
   * @param choices all products that the app should have; those it already has need not be visible any more
   * @throws ValidationError naming products that the developer may not use, ForbiddenError for what an admin revoked,
   *   ConflictError for a revoked app
   */
  async plan(
    owned: OwnedApp,
    choices: readonly ProductChoice[],
    expiresIn: number | undefined,
    by: Approver,
  ): Promise<ProductChange> {
    const { reader, settings, clock } = this.parts;
    const credentials = await reader.credentialsOf([owned.app.id]);
    const held = await reader.grantsOf(credentials.map(({ id }) => id));
    const unheld = choices.filter((choice) => !held.some((grant) => isChoiceOf(choice, grant)));
    const added = await requireProducts(this.parts, owned.owner.id, unheld);
    const removed = held.filter((grant) => !choices.some((choice) => isChoiceOf(choice, grant)));
    for (const grant of removed) requireNotClosedByAdmin(grant, by);
    const now = clock.now();
    keyEnd(expiresIn, settings, now, added);
    if (added.length > 0) requireOpenApp(owned.app);
    const keys = credentials.filter(
      (credential) =>
        credential.replacedBy === null && !['revoked', 'expired'].includes(credentialStatus(credential, now)),
    );
    for (const key of keys) requireLifetime(added, key, now);
    return { added, removed, keys, expiresIn };
  }

  /**
   * Carries out the whole plan: a log entry stores it, and recovery finishes it after an interruption.
   * If it fails before the first step, nothing happens.
   * @returns the key that the app got, when it had none, in full
   */
  async set(owned: OwnedApp, change: ProductChange, by: Approver): Promise<CredentialView | null> {
    const { operationLog } = this.parts;
    if (stepsOf(change) <= 1) return this.apply(owned, change, by);
    const payload = { ...restOf(change), by };
    const entry = await operationLog.open(
      { kind: 'app.products', payload, ...appTarget(owned) },
      undefined,
      PATIENCE_S,
    );
    const before = await this.fingerprint(owned);
    try {
      const first = await this.apply(owned, change, by);
      await operationLog.drop(entry);
      return first;
    } catch (error) {
      if (!isAmbiguous(error) && (await this.fingerprint(owned)) === before) await operationLog.drop(entry);
      else await operationLog.hasten(entry);
      throw error;
    }
  }

  /** Finishes an interrupted change; does nothing if it is no longer allowed. */
  async resume(entry: LoggedOperation): Promise<void> {
    const { reader, logger } = this.parts;
    const owner = await reader.findOwner(entry.userId);
    const owned = owner && (await reader.findAnyApp(owner, entry.appId ?? 0));
    if (!owned || owned.app.syncState !== 'synced') return;
    try {
      await this.finish(owned, entry.payload as unknown as RestOfChange);
    } catch (error) {
      const isRefusal = [ValidationError, ForbiddenError, NotFoundError].some((type) => error instanceof type);
      if (!isRefusal) throw error;
      logger.warn({ err: error, app: owned.app.id }, 'the rest of a change of products is no longer wanted');
    }
  }

  private async finish(owned: OwnedApp, { removed, added, keys, by }: RestOfChange): Promise<void> {
    const { reader } = this.parts;
    for (const [credentialId, productId] of removed) {
      const credential = await reader.findAnyCredential(owned, credentialId);
      const grants = credential ? await reader.grantsOf([credentialId]) : [];
      const grant = grants.find((one) => one.productId === productId);
      if (credential && grant) await this.grants.remove({ ...credential, grant }, by);
    }
    const isOpen = owned.app.status !== 'revoked' && added.length > 0;
    for (const id of isOpen ? keys : []) {
      const credential = await reader.findAnyCredential(owned, id);
      if (credential) await this.grants.add(credential, added, by);
    }
  }

  /** Revokes before it grants. */
  private async apply(owned: OwnedApp, change: ProductChange, by: Approver): Promise<CredentialView | null> {
    const { added, removed, keys, expiresIn } = change;
    for (const grant of removed) {
      const credential = await this.credentials.find(owned, grant.credentialId);
      await this.grants.remove({ ...credential, grant }, by);
    }
    if (added.length === 0) return null;
    const products = added.map(choiceOf);
    if (keys.length === 0) return this.credentials.create(owned, { products, expiresIn }, by);
    for (const credential of keys) await this.grants.add({ ...owned, credential }, products, by);
    return null;
  }

  // Fingerprint of what its keys hold.
  private async fingerprint({ app }: OwnedApp): Promise<string> {
    const credentials = await this.parts.reader.credentialsOf([app.id]);
    const grants = await this.parts.reader.grantsOf(credentials.map(({ id }) => id));
    return JSON.stringify(grants.map(({ credentialId, productId }) => [credentialId, productId]).sort());
  }
}

function restOf({ removed, added, keys }: ProductChange): Omit<RestOfChange, 'by'> {
  return {
    removed: removed.map(({ credentialId, productId }) => [credentialId, productId] as const),
    added: added.map(choiceOf),
    keys: keys.map(({ id }) => id),
  };
}

function choiceOf({ id, plan }: PlannedProduct): ProductChoice {
  return { product: id, plan: plan?.slug };
}

function stepsOf({ added, removed, keys }: ProductChange): number {
  return removed.length + added.length * Math.max(1, keys.length);
}
