import type { AppParts } from './app-parts.js';
import type { OwnedApp } from './app-reader.js';
import { requireNotClosedByAdmin, requireOpenApp, type Approver } from './approval.js';
import type { AttachableProduct } from './contracts.js';
import { CredentialService } from './credential-service.js';
import { credentialStatus, type CredentialRecord } from './credential.js';
import type { CredentialView } from './credential-views.js';
import { GrantService } from './grant-service.js';
import type { GrantRecord } from './grant.js';
import { keyEnd, requireProducts } from './key-terms.js';

/** What an app gets and loses; made before anything is changed. */
export interface ProductChange {
  readonly added: readonly AttachableProduct[];
  readonly removed: readonly GrantRecord[];
  /** Keys that get what is added; none: the app gets a new one. */
  readonly keys: readonly CredentialRecord[];
  /** Seconds that a new key lives. */
  readonly expiresIn: number | undefined;
}

/**
 * The products of an app as a whole: what its keys hold together. Sending back what was read changes nothing, whatever
 * differs between the keys.
 */
export class AppProducts {
  private readonly credentials: CredentialService;
  private readonly grants: GrantService;

  constructor(private readonly parts: AppParts) {
    this.credentials = new CredentialService(parts);
    this.grants = new GrantService(parts);
  }

  /**
   * @param references slugs or ids of all products that the app shall have; those it has need not be visible any more
   * @throws ValidationError naming products that the developer may not use, ForbiddenError for what an admin revoked,
   * ConflictError for a revoked app
   */
  async plan(
    owned: OwnedApp,
    references: readonly (string | number)[],
    expiresIn: number | undefined,
    by: Approver,
  ): Promise<ProductChange> {
    const { reader, products: access, settings, clock } = this.parts;
    const credentials = await reader.credentialsOf([owned.app.id]);
    const held = await reader.grantsOf(credentials.map(({ id }) => id));
    const isNamed = (grant: GrantRecord, reference: string | number) =>
      grant.slug === reference || String(grant.productId) === String(reference);
    const unheld = references.filter((reference) => !held.some((grant) => isNamed(grant, reference)));
    const added = await requireProducts(access, owned.owner.id, unheld);
    const removed = held.filter((grant) => !references.some((reference) => isNamed(grant, reference)));
    for (const grant of removed) requireNotClosedByAdmin(grant, by);
    const now = clock.now();
    keyEnd(expiresIn, settings, now);
    if (added.length > 0) requireOpenApp(owned.app);
    const keys = credentials.filter(
      (credential) =>
        credential.replacedBy === null && !['revoked', 'expired'].includes(credentialStatus(credential, now)),
    );
    return { added, removed, keys, expiresIn };
  }

  /**
   * Closes before it opens. What was done stays when a later step fails; the same request again does the rest.
   * @returns the key that the app got, when it had none, in full
   */
  async apply(owned: OwnedApp, change: ProductChange, by: Approver): Promise<CredentialView | null> {
    const { added, removed, keys, expiresIn } = change;
    for (const grant of removed) {
      const credential = await this.credentials.find(owned, grant.credentialId);
      await this.grants.remove({ ...credential, grant }, by);
    }
    if (added.length === 0) return null;
    const products = added.map(({ id }) => id);
    if (keys.length === 0) return this.credentials.create(owned, { products, expiresIn }, by);
    for (const credential of keys) await this.grants.add({ ...owned, credential }, products, by);
    return null;
  }
}
