import { AppChanges } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedCredential, OwnedGrant } from '../app/app-reader.js';
import {
  approve,
  requireNotClosedByAdmin,
  requireOpenApp,
  revoke,
  type Approvable,
  type Approver,
} from '../app/approval.js';
import { newGrants } from './credential-issuer.js';
import { CredentialReadModel, type CredentialView } from './credential-read-model.js';
import { requireLifetime, requireProducts } from './key-terms.js';
import type { ProductChoice } from '../contracts.js';
import { grantAddition, grantRemoval, grantStatusChange } from '../gateway-operations/grant-operations.js';

/** The products on a credential. */
export class GrantService {
  private readonly changes: AppChanges;
  private readonly readModel: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
    this.readModel = new CredentialReadModel(parts);
  }

  /** @param product slug or id. @throws NotFoundError */
  find(owned: OwnedCredential, product: string): Promise<OwnedGrant> {
    return this.parts.reader.findGrant(owned, product);
  }

  /**
   * Puts products on a key; existing ones stay as they are.
   * @throws ValidationError naming products and plans that the developer may not use, ForbiddenError for a key that an admin
   *   revoked
   */
  async add(owned: OwnedCredential, choices: readonly ProductChoice[], by: Approver): Promise<CredentialView> {
    const { reader, clock } = this.parts;
    const products = await requireProducts(this.parts, owned.owner.id, choices);
    return this.changes.changeCredential(owned, async (present) => {
      requireNotClosedByAdmin(present.credential, by);
      requireOpenApp(present.app);
      const held = new Set((await reader.grantsOf([present.credential.id])).map(({ productId }) => productId));
      const added = products.filter(({ id }) => !held.has(id));
      requireLifetime(added, present.credential, clock.now());
      const termsOf = await reader.termsOf(present.app.id);
      for (const draft of newGrants(added, clock.now())) {
        const grant = { ...draft, ...termsOf(draft.productId) };
        await this.parts.runner.run(grantAddition(this.parts, present, grant, by));
      }
      return this.readModel.one(present.credential);
    });
  }

  /**
   * @throws ForbiddenError for a grant that an admin revoked: removing and re-adding it would undo the revocation (S58)
   */
  async remove(owned: OwnedGrant, by: Approver): Promise<void> {
    await this.withPresent(owned, async (present) => {
      requireNotClosedByAdmin(present.grant, by);
      await this.parts.runner.run(grantRemoval(this.parts, present, by));
    });
  }

  /** @throws ForbiddenError if `by` may not approve it */
  async approve(owned: OwnedGrant, by: Approver, reason: string | null = null): Promise<CredentialView> {
    const { selfApproval } = this.parts.settings;
    return this.withPresent(owned, (present) => {
      const terms = { selfApproval, now: this.parts.clock.now(), reason };
      return this.setState(present, approve(present.grant, by, terms), by);
    });
  }

  /** Closes the product for this key at once; always allowed. */
  async revoke(owned: OwnedGrant, by: Approver, reason: string | null = null): Promise<CredentialView> {
    return this.withPresent(owned, (present) => this.setState(present, revoke(present.grant, by, reason), by));
  }

  private async setState(present: OwnedGrant, next: Approvable, by: Approver): Promise<CredentialView> {
    await this.parts.runner.run(grantStatusChange(this.parts, present, next, by));
    return this.readModel.one(present.credential);
  }

  private withPresent<T>(owned: OwnedGrant, run: (present: OwnedGrant) => Promise<T>): Promise<T> {
    return this.changes.changeCredential(owned, async (present) =>
      run(await this.parts.reader.findGrant(present, String(owned.grant.productId))),
    );
  }
}
