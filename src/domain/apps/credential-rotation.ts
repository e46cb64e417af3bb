import type { IssuedKey } from '../../gateway/index.js';
import { addSeconds, ConflictError } from '../../kernel/index.js';
import { AppChanges } from './app-changes.js';
import type { KeyPlan } from './app-gateway.js';
import type { AppParts } from './app-parts.js';
import type { OwnedCredential } from './app-reader.js';
import { requireNotClosedByAdmin, requireOpenApp, revoked, type Approver } from './approval.js';
import { CredentialIssuer } from './credential-issuer.js';
import { credentialModel, credentialStatus } from './credential.js';
import { CredentialViews, type CredentialView } from './credential-views.js';
import { CredentialCreatedEvent, CredentialRotatedEvent } from './events.js';
import { keyEnd } from './key-terms.js';
import { attempt } from './two-sided-change.js';

export interface RotationInput {
  /** Seconds that the old key still works; `apps.rotationOverlap` when left out, 0 revokes it at once. */
  readonly overlap?: number | undefined;
  /** Seconds that the new key lives. */
  readonly expiresIn?: number | undefined;
}

/** Replaces a key without a gap: the new one works now, the old one for as long as the overlap says. */
export class CredentialRotation {
  private readonly issuer: CredentialIssuer;
  private readonly changes: AppChanges;
  private readonly views: CredentialViews;

  constructor(private readonly parts: AppParts) {
    this.issuer = new CredentialIssuer(parts);
    this.changes = new AppChanges(parts);
    this.views = new CredentialViews(parts);
  }

  /**
   * The new credential with its key in full; it has the products of the old one, each in the same state.
   * @throws ConflictError for a key that does not work or was replaced before, ForbiddenError for one that an admin revoked
   */
  async rotate(owned: OwnedCredential, input: RotationInput, by: Approver): Promise<CredentialView> {
    const { clock, settings, reader } = this.parts;
    return this.changes.ofCredential(owned, async (present) => {
      this.requireRotatable(present, by);
      const now = clock.now();
      const grants = await reader.grantsOf([present.credential.id]);
      const plan = await this.issuer.reserve(present, grants, keyEnd(input.expiresIn, settings, now), true);
      const key = await this.issuer.issue(present, plan);
      const overlap = input.overlap ?? settings.rotationOverlap;
      const end = overlap === 0 ? null : earlier(present.credential.expiresAt, addSeconds(now, overlap));
      try {
        await this.retire(present, end);
        return await this.finish(present, plan, key, end, by);
      } catch (error) {
        await this.undo(present, plan, key);
        throw error;
      }
    });
  }

  private requireRotatable({ app, credential }: OwnedCredential, by: Approver): void {
    requireOpenApp(app);
    requireNotClosedByAdmin(credential, by);
    if (credential.replacedBy !== null) {
      throw new ConflictError({ errors: { replaced_by: ['The key was replaced already.'] } });
    }
    const status = credentialStatus(credential, this.parts.clock.now());
    if (status !== 'approved') {
      throw new ConflictError({ errors: { status: [`A key that is ${status} cannot be rotated.`] } });
    }
  }

  /** @param end null: now */
  private async retire(old: OwnedCredential, end: Date | null): Promise<void> {
    const { gateway } = this.parts;
    await (end === null ? gateway.setKeyStatus(old, 'revoked') : gateway.setKeyExpiry(old, end));
  }

  private async finish(
    old: OwnedCredential,
    plan: KeyPlan,
    key: IssuedKey,
    end: Date | null,
    by: Approver,
  ): Promise<CredentialView> {
    const { database, events, clock, reader } = this.parts;
    const { id } = old.credential;
    const occurredAt = clock.now();
    const successor = await database.transaction(async (transaction) => {
      const finished = await this.issuer.finish(old, plan, key, transaction);
      const values = { replacedBy: plan.credentialId, updatedAt: occurredAt, ...(end && { expiresAt: end }) };
      await credentialModel(database).update(values, { where: { id }, transaction });
      if (end === null) {
        await this.changes.setCredential(id, revoked(old.credential, by, 'Replaced by rotation.'), transaction);
      }
      const { credential } = await reader.findCredential(old, id, transaction);
      await events.emit(new CredentialCreatedEvent({ ...finished, by, occurredAt }), transaction);
      const rotated = { ...old, credential, successor: finished.credential, by, occurredAt };
      await events.emit(new CredentialRotatedEvent(rotated), transaction);
      return finished.credential;
    });
    return this.views.one(successor, key);
  }

  // The old key as it was, and no trace of the new one, which nobody has seen.
  private async undo(old: OwnedCredential, plan: KeyPlan, key: IssuedKey): Promise<void> {
    const { gateway, logger } = this.parts;
    await attempt(() => gateway.removeIssued(old, key), logger);
    await attempt(() => this.issuer.abandon(plan), logger);
    await attempt(() => gateway.restoreKey(old), logger);
  }
}

function earlier(a: Date | null, b: Date): Date {
  return a !== null && a < b ? a : b;
}
