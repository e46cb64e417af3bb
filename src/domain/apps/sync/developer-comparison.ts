import type { FoundDeveloper, GatewayDriver } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { gatewayLinkRecord } from '../gateway-operations/gateway-link.js';
import type { AppParts } from '../app-parts.js';
import type { Drift, FixOptions } from './drift.js';

/** Compares accounts with the gateway's developers, page by page. */
export class DeveloperComparison {
  constructor(
    private readonly parts: AppParts,
    private readonly driver: GatewayDriver,
    private readonly options: FixOptions,
  ) {}

  async *differences(): AsyncGenerator<Drift> {
    const { inventory } = this.driver;
    for (let after: string | null = null; inventory;) {
      const page: Awaited<ReturnType<typeof inventory.developers>> = await inventory.developers(after);
      for (const found of page.items) yield* this.compareDeveloper(found);
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** Closes keys, or updates the developer at the gateway; reopens only if asked to. */
  async repair({ kind, userId, fix }: Drift): Promise<boolean> {
    const { developers, reader } = this.parts;
    const owner = await reader.findOwner(userId);
    if (!owner || fix === 'none') return false;
    if (kind === 'developer_email') await developers.ensure(owner);
    else await developers.setStatus(owner, await reader.appsOf(userId));
    return true;
  }

  private async *compareDeveloper(found: FoundDeveloper): AsyncGenerator<Drift> {
    const owner = await this.ownerOf(found);
    if (!owner) return;
    const base = { userId: owner.id, email: owner.email, app: null, credentialId: null, product: null };
    const [here, there] = [owner.status === 'active', found.status === 'active'];
    if (here !== there && this.driver.capabilities.developers) {
      const sides = { portal: owner.status, gateway: found.status };
      // A change at the gateway never disables an account; a person decides.
      yield { ...base, ...sides, kind: 'developer_status', fix: here && !this.options.reopen ? 'none' : 'gateway' };
    }
    if (owner.email.toLowerCase() !== found.email.toLowerCase()) {
      yield { ...base, kind: 'developer_email', portal: owner.email, gateway: found.email, fix: 'gateway' };
    }
  }

  // Matched by stored gateway id, or by the portal id there.
  private async ownerOf({ gatewayId, portalId }: FoundDeveloper): Promise<UserRecord | null> {
    const { reader, database } = this.parts;
    const link = await gatewayLinkRecord.find(database, { gatewayId });
    if (link) return reader.findOwner(link.userId);
    return portalId !== null && /^\d{1,15}$/.test(portalId) ? reader.findOwner(Number(portalId)) : null;
  }
}
