import type { AppParts } from '../app-parts.js';
import type { OwnedApp } from '../app/app-reader.js';
import type { Approvable } from '../app/approval.js';
import { appRecord } from '../app/app.js';
import { credentialRecord } from '../credential/credential.js';
import { appStatusChange } from '../gateway-operations/app-operations.js';
import { grantStatusChange } from '../gateway-operations/grant-operations.js';
import { keyStatusChange } from '../gateway-operations/key-operations.js';
import type { AppPair, KnownKey } from './app-state.js';
import type { Drift } from './drift.js';

const SYSTEM = { type: 'system', id: null } as const;
const CLOSED_THERE = 'Closed at the gateway.';
const GONE_THERE = 'The gateway no longer has this key.';

/** Repairs one difference of an app whose lease is held. */
export class AppRepair {
  constructor(private readonly parts: AppParts) {}

  /** @throws the errors of the gateway */
  async apply(drift: Drift, pair: AppPair): Promise<void> {
    const key = pair.keys.find(({ owned }) => owned.credential.id === drift.credentialId);
    if (drift.fix === 'portal') return this.follow(drift, pair, key);
    if (drift.fix === 'none') return;
    switch (drift.kind) {
      case 'app_missing':
        return void (await this.parts.gateway.createApp(pair.owned, null));
      case 'app_details':
        return this.parts.gateway.updateApp(pair.owned);
      case 'app_status':
        return this.parts.gateway.setAppStatus(pair.owned, pair.owned.app.status);
      case 'key_unknown':
        return this.removeUnknownKeys(pair);
      default:
        return key && this.tell(drift, key);
    }
  }

  // Updates the gateway from the portal.
  private async tell({ kind, product }: Drift, { owned, grants }: KnownKey): Promise<void> {
    const { gateway, clock } = this.parts;
    const { status, expiresAt } = owned.credential;
    if (kind === 'key_expiry') return void (await gateway.setKeyExpiry(owned, expiresAt));
    if (kind === 'key_status') {
      const isOver = expiresAt !== null && expiresAt <= clock.now();
      return gateway.setKeyStatus(owned, isOver ? 'revoked' : status);
    }
    const grant = grants.find(({ gatewayProductId }) => gatewayProductId === product);
    if (grant) return gateway.setProduct({ ...owned, grant }, grant.status);
    if (product !== null) await gateway.removeGatewayProduct(owned, product);
  }

  // Updates the portal from the gateway. It also re-sends the state, which changes nothing there.
  private async follow(drift: Drift, pair: AppPair, key: KnownKey | undefined): Promise<void> {
    const { runner } = this.parts;
    if (drift.kind === 'app_renamed' && pair.found) return this.rename(pair.owned, pair.found.name);
    if (drift.kind === 'app_status') {
      const change = appStatusChange(this.parts, pair.owned, closeApproval(pair.owned.app, CLOSED_THERE), SYSTEM);
      return void (await runner.run(change));
    }
    if (!key) return;
    const { credential } = key.owned;
    if (drift.kind === 'key_missing') return this.loseKey(key);
    if (drift.kind === 'key_status') {
      const change = keyStatusChange(this.parts, key.owned, closeApproval(credential, CLOSED_THERE), SYSTEM);
      return void (await runner.run(change));
    }
    if (drift.kind === 'key_expiry') return this.shorten(key, pair);
    const grant = key.grants.find(({ gatewayProductId }) => gatewayProductId === drift.product);
    if (!grant) return;
    await runner.run(
      grantStatusChange(this.parts, { ...key.owned, grant }, closeApproval(grant, CLOSED_THERE), SYSTEM),
    );
  }

  // Only in the portal: the gateway no longer has the key.
  private async loseKey({ owned }: KnownKey): Promise<void> {
    const change = keyStatusChange(this.parts, owned, closeApproval(owned.credential, GONE_THERE), SYSTEM);
    await this.parts.database.transaction((transaction) => change.commit(transaction));
  }

  private async shorten({ owned, keyRef }: KnownKey, { found }: AppPair): Promise<void> {
    const { database, clock } = this.parts;
    const there = found?.keys.find((key) => key.keyRef === keyRef);
    if (!there) return;
    const values = { expiresAt: there.expiresAt, updatedAt: clock.now() };
    await credentialRecord.update(database, { id: owned.credential.id }, values);
  }

  private async rename({ app }: OwnedApp, gatewayName: string): Promise<void> {
    await appRecord.update(this.parts.database, { id: app.id }, { gatewayName });
  }

  private async removeUnknownKeys({ owned, keys, found, unfinished }: AppPair): Promise<void> {
    const known = new Set(keys.map(({ keyRef }) => keyRef));
    for (const { keyRef, portalId } of found?.keys ?? []) {
      if (known.has(keyRef) || portalId === null || unfinished.has(portalId)) continue;
      await this.parts.gateway.removeIssued(owned, { keyRef });
    }
  }
}

// Only an admin can reopen it: somebody with access to the gateway closed it.
function closeApproval({ approvedAt }: Approvable, statusReason: string): Approvable {
  return { status: 'revoked', statusReason, revokedBy: 'admin', approvedAt };
}
