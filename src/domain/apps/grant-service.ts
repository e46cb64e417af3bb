import { AppChanges } from './app-changes.js';
import type { AppParts } from './app-parts.js';
import type { OwnedCredential, OwnedGrant } from './app-reader.js';
import {
  approved,
  requireNotClosedByAdmin,
  requireOpenApp,
  revoked,
  stateChanges,
  type Approvable,
  type Approver,
} from './approval.js';
import { newGrants, type GrantDraft } from './credential-issuer.js';
import { CredentialViews, type CredentialView } from './credential-views.js';
import {
  CredentialProductAddedEvent,
  CredentialProductApprovedEvent,
  CredentialProductRemovedEvent,
  CredentialProductRevokedEvent,
} from './events.js';
import { grantModel, type GrantRecord } from './grant.js';
import { requireProducts } from './key-terms.js';
import { applyChange } from './two-sided-change.js';

/** The products on a credential. */
export class GrantService {
  private readonly changes: AppChanges;
  private readonly views: CredentialViews;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
    this.views = new CredentialViews(parts);
  }

  /** @param product slug or id. @throws NotFoundError */
  find(owned: OwnedCredential, product: string): Promise<OwnedGrant> {
    return this.parts.reader.findGrant(owned, product);
  }

  /**
   * Puts products on a key; those that are there already stay as they are.
   * @param references slugs or ids
   * @throws ValidationError naming products that the developer may not use, ForbiddenError for a key that an admin revoked
   */
  async add(owned: OwnedCredential, references: readonly (string | number)[], by: Approver): Promise<CredentialView> {
    const { products: access, reader, clock } = this.parts;
    const products = await requireProducts(access, owned.owner.id, references);
    return this.changes.ofCredential(owned, async (present) => {
      requireNotClosedByAdmin(present.credential, by);
      requireOpenApp(present.app);
      const held = new Set((await reader.grantsOf([present.credential.id])).map(({ productId }) => productId));
      const added = newGrants(
        products.filter(({ id }) => !held.has(id)),
        clock.now(),
      );
      for (const draft of added) await this.addOne(present, draft, by);
      return this.views.one(present.credential);
    });
  }

  /** @throws ForbiddenError for what an admin revoked: taking it off and putting it on again would undo that (S58) */
  async remove(owned: OwnedGrant, by: Approver): Promise<void> {
    const { gateway, database, events, clock, logger } = this.parts;
    await this.withPresent(owned, async (present) => {
      const { credentialId, productId, slug, status } = present.grant;
      requireNotClosedByAdmin(present.grant, by);
      await applyChange(
        {
          push: () => gateway.removeProduct(present),
          undo: () => gateway.setProduct(present, status),
          opens: false,
          write: () =>
            database.transaction(async (transaction) => {
              await grantModel(database).destroy({ where: { credentialId, productId }, transaction });
              const fact = { ...present, product: slug, by, occurredAt: clock.now() };
              await events.emit(new CredentialProductRemovedEvent(fact), transaction);
            }),
        },
        logger,
      );
    });
  }

  /** @throws ForbiddenError without the right to */
  async approve(owned: OwnedGrant, by: Approver, reason: string | null = null): Promise<CredentialView> {
    const { selfApproval } = this.parts.settings;
    return this.withPresent(owned, (present) => {
      const terms = { selfApproval, now: this.parts.clock.now(), reason };
      return this.setState(present, approved(present.grant, by, terms), by);
    });
  }

  /** Closes the product for this key at once; always allowed. */
  async revoke(owned: OwnedGrant, by: Approver, reason: string | null = null): Promise<CredentialView> {
    return this.withPresent(owned, (present) => this.setState(present, revoked(present.grant, by, reason), by));
  }

  private async addOne(present: OwnedCredential, draft: GrantDraft, by: Approver): Promise<void> {
    const { gateway, database, events, clock, logger } = this.parts;
    const grant: GrantRecord = { ...draft, credentialId: present.credential.id };
    const { slug, name: _, gatewayProductId: __, ...row } = grant;
    const now = clock.now();
    await applyChange(
      {
        push: () => gateway.setProduct({ ...present, grant }, grant.status),
        undo: () => gateway.removeProduct({ ...present, grant }),
        opens: true,
        write: () =>
          database.transaction(async (transaction) => {
            await grantModel(database).create({ ...row, createdAt: now, updatedAt: now }, { transaction });
            const fact = { ...present, product: slug, by, occurredAt: now };
            await events.emit(new CredentialProductAddedEvent(fact), transaction);
          }),
      },
      logger,
    );
  }

  private async setState(present: OwnedGrant, next: Approvable, by: Approver): Promise<CredentialView> {
    const { gateway, database, events, clock, logger } = this.parts;
    const { credentialId, productId, slug, status } = present.grant;
    const Event = next.status === 'revoked' ? CredentialProductRevokedEvent : CredentialProductApprovedEvent;
    await applyChange(
      {
        push: () => gateway.setProduct(present, next.status),
        undo: () => gateway.setProduct(present, status),
        opens: next.status === 'approved',
        write: () =>
          database.transaction(async (transaction) => {
            if (next === present.grant) return;
            await this.changes.setGrant(credentialId, productId, next, transaction);
            const changes = stateChanges(present.grant, next);
            const fact = { ...present, product: slug, changes, by, occurredAt: clock.now() };
            await events.emit(new Event(fact), transaction);
          }),
      },
      logger,
    );
    return this.views.one(present.credential);
  }

  private withPresent<T>(owned: OwnedGrant, run: (present: OwnedGrant) => Promise<T>): Promise<T> {
    return this.changes.ofCredential(owned, async (present) =>
      run(await this.parts.reader.findGrant(present, String(owned.grant.productId))),
    );
  }
}
