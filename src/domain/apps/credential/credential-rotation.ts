import { addSeconds, ConflictError, ForbiddenError } from '../../../core/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { AppChanges } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedCredential } from '../app/app-reader.js';
import { requireNotClosedByAdmin, requireOpenApp, type Approver } from '../app/approval.js';
import { CredentialIssuer } from './credential-issuer.js';
import { credentialRecord, credentialStatus } from './credential.js';
import { CredentialReadModel, type CredentialView } from './credential-read-model.js';
import { findEarlierKey, leaveKeyNote } from './earlier-key.js';
import { keyEnd } from './key-terms.js';
import { keyRotation } from '../gateway-operations/key-operations.js';

export interface RotationInput {
  /** Seconds that the old key still works; `apps.rotationOverlap` when omitted, 0 revokes it at once. */
  readonly overlap?: number | undefined;
  /** Lifetime of the new key in seconds. */
  readonly expiresIn?: number | undefined;
}

/** Replaces a key without downtime: the new one works at once, the old one until the overlap ends. */
export class CredentialRotation {
  private readonly issuer: CredentialIssuer;
  private readonly changes: AppChanges;
  private readonly readModel: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.issuer = new CredentialIssuer(parts);
    this.changes = new AppChanges(parts);
    this.readModel = new CredentialReadModel(parts);
  }

  /**
   * The new credential with its key in full; it has the products of the old one, each in the same state.
   * @throws ConflictError for a key that does not work or was already replaced, ForbiddenError for one revoked by an admin
   */
  async rotate(owned: OwnedCredential, input: RotationInput, by: Approver): Promise<CredentialView> {
    const made = await findEarlierKey(this.parts, owned);
    if (made) return this.readModel.one(made.owned.credential, made.key);
    const { clock, settings, reader, runner } = this.parts;
    return this.changes.changeCredential(owned, async (present) => {
      this.requireRotatable(present, by);
      const now = clock.now();
      const grants = await reader.grantsOf([present.credential.id]);
      const overlap = input.overlap ?? settings.rotationOverlap;
      const end = overlap === 0 ? null : pickEarlier(present.credential.expiresAt, addSeconds(now, overlap));
      const plans = grants.flatMap(({ plan, nextPlan }) => [{ plan }, { plan: nextPlan }]);
      const terms = { grants, expiresAt: keyEnd(input.expiresIn, settings, now, plans), end };
      const { owned: successor, key } = await runner.run(
        leaveKeyNote(keyRotation(this.parts, this.issuer, present, terms, by)),
      );
      return this.readModel.one(successor.credential, key);
    });
  }

  /**
   * Replaces keys of the apps of an owner, one after another; those that cannot be rotated stay as they are.
   * @returns the new ones, with their keys in full. @throws the errors of the gateway; what was replaced until then stays replaced
   */
  async rotateEach(
    owner: UserRecord,
    ids: readonly number[],
    input: RotationInput,
    by: Approver,
  ): Promise<CredentialView[]> {
    const { reader, database } = this.parts;
    const made: CredentialView[] = [];
    for (const credential of await credentialRecord.findAll(database, { id: [...ids] }, { order: 'c.id' })) {
      const owned = await reader.findAnyApp(owner, credential.appId);
      const view = owned && (await this.rotate({ ...owned, credential }, input, by).catch(ignoreRefusal));
      if (view) made.push(view);
    }
    return made;
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
}

// The app or the key is closed, waits or was replaced meanwhile.
function ignoreRefusal(error: unknown): null {
  if (error instanceof ConflictError || error instanceof ForbiddenError) return null;
  throw error;
}

function pickEarlier(a: Date | null, b: Date): Date {
  return a !== null && a < b ? a : b;
}
