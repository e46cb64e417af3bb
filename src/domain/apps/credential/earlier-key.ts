import type { KeyPair } from '../../../gateway/index.js';
import { findEarlierWork, requireResult } from '../../../core/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import type { FinishedKey } from '../gateway-operations/key-operations.js';
import { leaveNote, type GatewayOperation } from '../gateway-operations/operation.js';

const KIND = 'credential';

interface KeyNote {
  readonly id: number;
  readonly key: KeyPair;
}

/** Stores a new key with its secret, in case the request's response gets lost. */
export function leaveKeyNote(change: GatewayOperation<FinishedKey>): GatewayOperation<FinishedKey> {
  return leaveNote(change, KIND, ({ owned, key: { consumerKey, consumerSecret } }): KeyNote => {
    return { id: owned.credential.id, key: { consumerKey, consumerSecret } };
  });
}

/**
 * The key that an earlier attempt of this request made before its process died. @throws ConflictError if it has been
 * deleted
 */
export async function findEarlierKey(
  { reader }: Pick<AppParts, 'reader'>,
  owned: OwnedApp,
): Promise<{ readonly owned: OwnedCredential; readonly key: KeyPair } | null> {
  const note = findEarlierWork<KeyNote>(KIND);
  if (!note) return null;
  return { owned: await requireResult(reader.findCredential(owned, note.id)), key: note.key };
}
