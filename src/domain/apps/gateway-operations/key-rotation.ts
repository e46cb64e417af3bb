import type { AppParts } from '../app-parts.js';
import type { OwnedCredential } from '../app/app-reader.js';
import { revoke, type Approver } from '../app/approval.js';
import type { CredentialIssuer } from '../credential/credential-issuer.js';
import { credentialModel } from '../credential/credential.js';
import { CredentialCreatedEvent, CredentialRotatedEvent } from '../events.js';
import { appTarget } from './app-operations.js';
import { KeyCreation, type FinishedKey, type KeyTerms } from './key-operations.js';
import type { GatewayOperation } from './operation.js';

export interface RotationTerms extends KeyTerms {
  /** When the old key ends; null: now. */
  readonly end: Date | null;
}

/** A new key beside the old one, whose end is set. Taken back: the old one as it was, and no trace of the new one. */
export function keyRotation(
  parts: AppParts,
  issuer: CredentialIssuer,
  old: OwnedCredential,
  { end, ...terms }: RotationTerms,
  by: Approver,
): GatewayOperation<FinishedKey> {
  const { gateway, events, clock, reader, writes, intents, database } = parts;
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
      // The old key works again even when the new one resists.
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
      await credentialModel(database).update(values, { where: { id }, transaction });
      if (end === null) {
        await writes.setCredential(id, revoke(old.credential, by, 'Replaced by rotation.'), transaction);
      }
      // Where keys cannot be given an end, the portal closes it when its time has come.
      const ending = { kind: 'key.end', payload: {}, ...appTarget(old), credentialId: id } as const;
      if (end !== null && !endsByItself) await intents.openLater(ending, end, transaction);
      const { credential } = await reader.findCredential(old, id, transaction);
      await events.emit(new CredentialCreatedEvent({ ...finished, by, occurredAt }), transaction);
      const rotated = { ...old, credential, successor: finished.credential, by, occurredAt };
      await events.emit(new CredentialRotatedEvent(rotated), transaction);
      return { owned: finished, key };
    },
  };
}
