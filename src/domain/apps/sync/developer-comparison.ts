import type { FoundDeveloper, FoundTeam, GatewayDriver } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { gatewayLinkRecord } from '../gateway-operations/gateway-link.js';
import type { AppParts } from '../app-parts.js';
import type { Drift, FixOptions } from './drift.js';
import { pagesOf, readTeamPages } from './gateway-import.js';

/** Compares accounts with the gateway's developers and teams, page by page. */
export class DeveloperComparison {
  constructor(
    private readonly parts: AppParts,
    private readonly driver: GatewayDriver,
    private readonly options: FixOptions,
  ) {}

  async *differences(): AsyncGenerator<Drift> {
    const { inventory } = this.driver;
    if (!inventory) return;
    for await (const page of pagesOf((after) => inventory.developers(after))) {
      for (const found of page) yield* this.compareDeveloper(found);
    }
    for await (const page of readTeamPages(this.driver)) for (const found of page) yield* this.compareTeam(found);
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
    yield* this.compareStatus(owner, found);
    if (owner.email.toLowerCase() !== found.email.toLowerCase()) {
      yield { ...baseOf(owner), kind: 'developer_email', portal: owner.email, gateway: found.email, fix: 'gateway' };
    }
  }

  private async *compareTeam(found: FoundTeam): AsyncGenerator<Drift> {
    const owner = await this.ownerOf(found);
    if (owner) yield* this.compareStatus(owner, found);
  }

  private *compareStatus(owner: UserRecord, found: Pick<FoundDeveloper, 'status'>): Generator<Drift> {
    const [here, there] = [owner.status === 'active', found.status === 'active'];
    if (here === there || !this.driver.capabilities.developers) return;
    const sides = { portal: owner.status, gateway: found.status };
    // A change at the gateway never disables an account; a person decides.
    const fix = here && !this.options.reopen ? 'none' : 'gateway';
    yield { ...baseOf(owner), ...sides, kind: 'developer_status', fix };
  }

  // Matched by stored gateway id, or by the portal id there.
  private async ownerOf({
    gatewayId,
    portalId,
  }: Pick<FoundDeveloper, 'gatewayId' | 'portalId'>): Promise<UserRecord | null> {
    const { reader, database } = this.parts;
    const link = await gatewayLinkRecord.find(database, { gatewayId });
    if (link) return reader.findOwner(link.userId);
    return portalId !== null && /^\d{1,15}$/.test(portalId) ? reader.findOwner(Number(portalId)) : null;
  }
}

function baseOf({ id, email }: UserRecord) {
  return { userId: id, email, app: null, credentialId: null, product: null };
}
