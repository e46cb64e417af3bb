import type { FoundApp, FoundDeveloper, GatewayInventory } from '../../../gateway/index.js';
import { gatewayDeveloperRecord } from '../gateway-operations/gateway-developer.js';
import { appRecord } from '../app/app.js';
import type { AppParts } from '../app-parts.js';

export interface KnownDeveloper {
  readonly userId: number;
  /** Already marked at the gateway: nothing left to do. */
  readonly isClaimed: boolean;
}

/** Marks records at the gateway as this portal's, with the portal's ids. */
export class OwnershipClaims {
  constructor(
    private readonly parts: AppParts,
    private readonly inventory: GatewayInventory,
  ) {}

  /** The account of a gateway developer, or team; null when there is none yet. */
  async ownerOf({
    gatewayId,
    portalId,
  }: Pick<FoundDeveloper, 'gatewayId' | 'portalId'>): Promise<KnownDeveloper | null> {
    const { database } = this.parts;
    const gatewayDeveloper = await gatewayDeveloperRecord.find(database, { gatewayId });
    if (gatewayDeveloper)
      return { userId: gatewayDeveloper.userId, isClaimed: portalId === String(gatewayDeveloper.userId) };
    if (portalId === null || !/^\d{1,15}$/.test(portalId)) return null;
    // Made by this portal before it stored such records: then the account has apps.
    const userId = Number(portalId);
    return (await appRecord.has(database, { userId })) ? { userId, isClaimed: true } : null;
  }

  /** Keys first, the developer last: a marked developer is complete. Idempotent. */
  async claim(
    { gatewayId }: Pick<FoundDeveloper, 'gatewayId'>,
    userId: number,
    found: readonly FoundApp[],
  ): Promise<void> {
    const { reader, gateway, database } = this.parts;
    const all = await appRecord.findAll(database, { userId }, { with: ['gatewayAppId'] });
    const apps = all.filter(({ gatewayAppId }) => gatewayAppId !== null);
    const ids = new Map(apps.map(({ id, gatewayAppId }) => [gatewayAppId, id]));
    const credentials = await reader.credentialsOf(apps.map(({ id }) => id));
    const credentialOf = new Map(credentials.map((credential) => [gateway.keyRefOf(credential), credential.id]));
    for (const { appId, name, portalId, keys } of found) {
      const id = ids.get(appId);
      if (id === undefined) continue;
      for (const key of keys) {
        const credentialId = credentialOf.get(key.keyRef);
        if (credentialId === undefined || key.portalId === String(credentialId)) continue;
        await this.inventory.claimKey(gatewayId, name, key.keyRef, String(credentialId));
      }
      if (portalId !== String(id)) await this.inventory.claimApp(gatewayId, name, String(id));
    }
    await this.inventory.claimDeveloper(gatewayId, String(userId));
  }
}
