import type { IssuedKey } from '../../../gateway/index.js';
import type { KeyPlan } from './app-gateway.js';
import { credentialRecord } from '../credential/credential.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import { revoke, stateChanges, type Approvable, type Approver, type Initiator } from '../app/approval.js';
import type { CredentialIssuer, GrantDraft } from '../credential/credential-issuer.js';
import {
  CredentialApprovedEvent,
  CredentialCreatedEvent,
  CredentialDeletedEvent,
  CredentialRevokedEvent,
  CredentialRotatedEvent,
} from '../events.js';
import { appTarget } from './app-operations.js';
import { type GatewayOperation, statePayload } from './operation.js';

export interface KeyTerms {
  readonly grants: readonly GrantDraft[];
  readonly expiresAt: Date | null;
}

export interface FinishedKey {
  readonly owned: OwnedCredential;
  readonly key: IssuedKey;
}

/**
 * The steps of every new key: reserve its row, get the key from the gateway, show the row. A key that nobody has seen
 * is rolled back.
 */
class KeyCreation {
  private plan: KeyPlan | null = null;
  private key: IssuedKey | null = null;

  constructor(
    private readonly parts: AppParts,
    private readonly issuer: CredentialIssuer,
    private readonly owned: OwnedApp,
  ) {}

  get issued(): { readonly plan: KeyPlan; readonly key: IssuedKey } {
    if (!this.plan || !this.key) throw new Error('the gateway was not asked for a key yet');
    return { plan: this.plan, key: this.key };
  }

  /** True once the key exists, whatever failed afterwards. */
  isHalfDone = (): boolean => this.key !== null;

  /** @param replacing it takes over the slot of another key, which stays until it ends */
  reserve: (terms: KeyTerms, replacing: boolean) => GatewayOperation<unknown>['reserve'] =
    ({ grants, expiresAt }, replacing) =>
    async (transaction) => {
      this.plan = await this.issuer.reserve(this.owned, grants, expiresAt, replacing, transaction);
      return { ...appTarget(this.owned), credentialId: this.plan.credentialId };
    };

  issue = async (): Promise<void> => {
    if (!this.plan) throw new Error('there is no reserved credential');
    this.key = await this.parts.gateway.issueKey(this.owned, this.plan);
  };

  compensate = async (): Promise<void> => {
    const { gateway } = this.parts;
    if (this.key) return gateway.removeIssued(this.owned, this.key);
    if (this.plan) await gateway.removeUnfinished(this.owned, this.plan.credentialId);
  };

  release: NonNullable<GatewayOperation<unknown>['release']> = async (transaction) => {
    if (this.plan) await this.issuer.abandon(this.plan.credentialId, transaction);
  };
}

export function keyCreation(
  parts: AppParts,
  issuer: CredentialIssuer,
  owned: OwnedApp,
  terms: KeyTerms,
  by: Initiator,
): GatewayOperation<FinishedKey> {
  const creation = new KeyCreation(parts, issuer, owned);
  return {
    kind: 'key.create',
    payload: { by },
    opens: true,
    reserve: creation.reserve(terms, false),
    applyRemote: creation.issue,
    compensate: creation.compensate,
    release: creation.release,
    commit: async (transaction) => {
      const { plan, key } = creation.issued;
      const finished = await issuer.finish(owned, plan, key, transaction);
      const fact = { ...finished, by, occurredAt: parts.clock.now() };
      await parts.events.emit(new CredentialCreatedEvent(fact), transaction);
      return { owned: finished, key };
    },
  };
}

export function keyStatusChange(
  { gateway, writes, events, clock, reader }: AppParts,
  present: OwnedCredential,
  next: Approvable,
  by: Initiator,
): GatewayOperation<OwnedCredential> {
  const { credential } = present;
  const Event = next.status === 'revoked' ? CredentialRevokedEvent : CredentialApprovedEvent;
  return {
    kind: 'key.status',
    payload: statePayload(next, by),
    opens: next.status === 'approved',
    reserve: () => Promise.resolve({ ...appTarget(present), credentialId: credential.id }),
    applyRemote: () => gateway.setKeyStatus(present, next.status),
    compensate: () => gateway.setKeyStatus(present, credential.status),
    commit: async (transaction) => {
      const changes = stateChanges(credential, next);
      if (Object.keys(changes).length === 0) return present;
      await writes.setCredential(credential.id, next, transaction);
      const after = await reader.findCredential(present, credential.id, transaction);
      await events.emit(new Event({ ...after, changes, by, occurredAt: clock.now() }), transaction);
      return after;
    },
  };
}

/** After the first step, deletion is the only operation left. */
export function keyDeletion(
  { gateway, writes, operationLog, database, events, clock }: AppParts,
  present: OwnedCredential,
  by: Initiator,
): GatewayOperation<void> {
  const { id } = present.credential;
  return {
    kind: 'key.delete',
    payload: { by },
    opens: false,
    reserve: async (transaction) => {
      await operationLog.dropAllOf({ credentialId: id }, transaction);
      await writes.markCredential(id, 'deleting', transaction);
      return { ...appTarget(present), credentialId: id };
    },
    applyRemote: () => gateway.removeKey(present),
    compensate: null,
    release: (transaction) => writes.markCredential(id, 'synced', transaction),
    commit: async (transaction) => {
      await credentialRecord.remove(database, { id }, transaction);
      await events.emit(new CredentialDeletedEvent({ ...present, by, occurredAt: clock.now() }), transaction);
    },
  };
}

export interface RotationTerms extends KeyTerms {
  /** When the old key ends; null: now. */
  readonly end: Date | null;
}

/** A new key next to the old one, whose end is set. Compensation restores the old key and removes the new one. */
export function keyRotation(
  parts: AppParts,
  issuer: CredentialIssuer,
  old: OwnedCredential,
  { end, ...terms }: RotationTerms,
  by: Approver,
): GatewayOperation<FinishedKey> {
  const { gateway, events, clock, reader, writes, operationLog, database } = parts;
  const { id } = old.credential;
  const creation = new KeyCreation(parts, issuer, old);
  let endsByItself = true;
  return {
    kind: 'key.rotate',
    payload: { by, old: id },
    opens: true,
    reserve: creation.reserve(terms, true),
    applyRemote: async () => {
      await creation.issue();
      if (end === null) await gateway.setKeyStatus(old, 'revoked');
      else endsByItself = await gateway.setKeyExpiry(old, end);
    },
    compensate: async () => {
      // Restore the old key even if removing the new one fails.
      const [takenBack, restored] = await Promise.allSettled([creation.compensate(), gateway.restoreKey(old)]);
      for (const part of [takenBack, restored]) if (part.status === 'rejected') throw part.reason;
    },
    isHalfDone: creation.isHalfDone,
    release: creation.release,
    commit: async (transaction) => {
      const { plan, key } = creation.issued;
      const occurredAt = clock.now();
      const finished = await issuer.finish(old, plan, key, transaction);
      const values = { replacedBy: plan.credentialId, updatedAt: occurredAt, ...(end && { expiresAt: end }) };
      await credentialRecord.update(database, { id }, values, transaction);
      if (end === null) {
        await writes.setCredential(id, revoke(old.credential, by, 'Replaced by rotation.'), transaction);
      }
      // If the gateway cannot expire keys, the portal closes the old one when its time comes.
      const ending = { kind: 'key.end', payload: {}, ...appTarget(old), credentialId: id } as const;
      if (end !== null && !endsByItself) await operationLog.openLater(ending, end, transaction);
      const { credential } = await reader.findCredential(old, id, transaction);
      await events.emit(new CredentialCreatedEvent({ ...finished, by, occurredAt }), transaction);
      const rotated = { ...old, credential, successor: finished.credential, by, occurredAt };
      await events.emit(new CredentialRotatedEvent(rotated), transaction);
      return { owned: finished, key };
    },
  };
}
