import { ConflictError, mapPage, type ListQuery, type ListPage } from '../../../core/index.js';
import { AppChanges, refuseHalfDeleted } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import { approve, requireOpenApp, revoke, type Approvable, type Approver } from '../app/approval.js';
import { CredentialIssuer, newGrants } from './credential-issuer.js';
import { credentialList } from './credential.js';
import { CredentialReadModel, type CredentialView } from './credential-read-model.js';
import { CredentialRevealedEvent } from '../events.js';
import type { ProductChoice } from '../contracts.js';
import { findEarlierKey, leaveKeyNote } from './earlier-key.js';
import { keyEnd, requireProducts } from './key-terms.js';
import { keyCreation, keyDeletion, keyStatusChange } from '../gateway-operations/key-operations.js';
import { findUsableKeys, type UsableKey } from '../app-queries.js';

export interface NewCredential {
  readonly products: readonly ProductChoice[];
  /** Seconds. */
  readonly expiresIn?: number | undefined;
}

/** The keys of an app. See `GrantService` for the products on them and `CredentialRotation` for replacing them. */
export class CredentialService {
  private readonly issuer: CredentialIssuer;
  private readonly changes: AppChanges;
  private readonly readModel: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.issuer = new CredentialIssuer(parts);
    this.changes = new AppChanges(parts);
    this.readModel = new CredentialReadModel(parts);
  }

  async list({ app }: OwnedApp, query: ListQuery): Promise<ListPage<CredentialView>> {
    const scope = { where: "c.app_id = ? AND c.sync_state <> 'creating'", values: [app.id] };
    const page = await this.parts.lists.run(credentialList, query, { scope });
    const views = await this.readModel.of(page.items);
    return mapPage(page, ({ id }) => views.find((view) => view.id === id) as CredentialView);
  }

  /** @throws NotFoundError */
  find(owned: OwnedApp, id: number): Promise<OwnedCredential> {
    return this.parts.reader.findCredential(owned, id);
  }

  view({ credential }: OwnedCredential): Promise<CredentialView> {
    return this.readModel.one(credential);
  }

  /** Keys of all their apps that can call a product right now. */
  listUsable(userId: number, productId: number): Promise<UsableKey[]> {
    return findUsableKeys(this.parts.database, userId, productId, this.parts.clock.now());
  }

  /**
   * A new key, shown in full this once.
   * @throws ValidationError, ConflictError beyond `apps.keysPerApp`, the errors of the gateway
   */
  async create(owned: OwnedApp, input: NewCredential, by: Approver): Promise<CredentialView> {
    const earlier = await findEarlierKey(this.parts, owned);
    if (earlier) return this.readModel.one(earlier.owned.credential, earlier.key);
    const { gateway, clock, settings } = this.parts;
    requireOpenApp(owned.app);
    const products = await requireProducts(this.parts, owned.owner.id, input.products);
    const now = clock.now();
    const expiresAt = keyEnd(input.expiresIn, settings, now, products);
    if (!(await gateway.keysAreIndependent()) && (await this.parts.reader.credentialsOf([owned.app.id])).length > 0) {
      throw new ConflictError({ errors: { credentials: ['The gateway gives an app one key; rotate it instead.'] } });
    }
    const terms = { grants: newGrants(products, now), expiresAt };
    return this.changes.changeApp(owned, async (present) => {
      requireOpenApp(present.app);
      const change = keyCreation(this.parts, this.issuer, present, terms, by);
      const made = await this.parts.runner.run(leaveKeyNote(change));
      return this.readModel.one(made.owned.credential, made.key);
    });
  }

  /** @throws ForbiddenError if `by` may not approve it, ConflictError for a replaced key */
  async approve(owned: OwnedCredential, by: Approver, reason: string | null = null): Promise<CredentialView> {
    return this.changes.changeCredential(owned, (present) => {
      if (present.credential.replacedBy !== null) {
        const fault = 'A key that was replaced by rotation cannot be approved again.';
        throw new ConflictError({ errors: { replaced_by: [fault] } });
      }
      const terms = { selfApproval: this.parts.settings.selfApproval, now: this.parts.clock.now(), reason };
      return this.setState(present, approve(present.credential, by, terms), by);
    });
  }

  /** Closes the key at once; always allowed. */
  async revoke(owned: OwnedCredential, by: Approver, reason: string | null = null): Promise<CredentialView> {
    return this.changes.changeCredential(owned, (present) =>
      this.setState(present, revoke(present.credential, by, reason), by),
    );
  }

  /** Also finishes an interrupted deletion. */
  async delete(owned: OwnedCredential, by: Approver): Promise<void> {
    await this.changes.deleteCredential(owned, (present) =>
      this.parts.runner.run(keyDeletion(this.parts, present, by)),
    );
  }

  /**
   * Shows the key in full again. The caller handles reauthentication.
   * @throws ConflictError when the gateway cannot show it, or the deletion of the key has begun
   */
  async reveal(owned: OwnedCredential, by: Approver): Promise<CredentialView> {
    const { gateway, database, events, clock } = this.parts;
    refuseHalfDeleted(owned);
    const key = await gateway.reveal(owned);
    const fact = { ...owned, by, occurredAt: clock.now() };
    // Recorded before the key is returned: if that fails, the key is not shown.
    await database.transaction((transaction) => events.emit(new CredentialRevealedEvent(fact), transaction));
    return this.readModel.one(owned.credential, key);
  }

  private async setState(present: OwnedCredential, next: Approvable, by: Approver): Promise<CredentialView> {
    const changed = await this.parts.runner.run(keyStatusChange(this.parts, present, next, by));
    return this.readModel.one(changed.credential);
  }
}
