import type { FoundApp, FoundKey, GatewayCapabilities } from '../../../gateway/index.js';
import type { OwnedApp, OwnedCredential } from '../app/app-reader.js';
import type { GrantRecord } from '../credential/grant.js';

/** A credential as the portal has it. */
export interface KnownKey {
  readonly owned: OwnedCredential;
  readonly keyRef: string | null;
  readonly grants: readonly GrantRecord[];
}

/** An app on both sides. */
export interface AppPair {
  readonly owned: OwnedApp;
  readonly keys: readonly KnownKey[];
  /** Ids of unfinished credentials: another process is working on their keys. */
  readonly unfinished: ReadonlySet<string>;
  readonly found: FoundApp | null;
}

/** What a comparison needs besides the two sides. */
export interface ComparisonTerms {
  readonly capabilities: GatewayCapabilities;
  /** Whether the portal has a product of this gateway name. */
  readonly isOurProduct: (gatewayName: string) => boolean;
  readonly now: Date;
}

export function isKeyOpen({ credential }: OwnedCredential, now: Date): boolean {
  return credential.status === 'approved' && !isPast(credential.expiresAt, now);
}

export function isFoundKeyOpen({ status, expiresAt }: FoundKey, now: Date): boolean {
  return status === 'approved' && !isPast(expiresAt, now);
}

function isPast(end: Date | null, now: Date): boolean {
  return end !== null && end <= now;
}
