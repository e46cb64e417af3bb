import { ConflictError, NotFoundError } from '../../../core/index.js';
import type { Gateway, GatewayDriver, FoundDeveloper, FoundTeam } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { countDevelopers, readDevelopersAfter } from '../app-queries.js';
import { gatewayDeveloperRecord } from '../gateway-operations/gateway-developer.js';
import type { LoggedOperation } from '../gateway-operations/operation.js';
import { AppComparison } from './app-comparison.js';
import type { Drift, FixOptions } from './drift.js';
import { pagesOf, readTeamPages } from './gateway-import.js';

/** Compares accounts with the gateway's developers and teams, page by page. */
class DeveloperComparison {
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
    const gatewayDeveloper = await gatewayDeveloperRecord.find(database, { gatewayId });
    if (gatewayDeveloper) return reader.findOwner(gatewayDeveloper.userId);
    return portalId !== null && /^\d{1,15}$/.test(portalId) ? reader.findOwner(Number(portalId)) : null;
  }
}

function baseOf({ id, email }: UserRecord) {
  return { userId: id, email, app: null, credentialId: null, product: null };
}

/** Developers per batch. */
const BATCH = 100;

export interface SyncOptions extends FixOptions {
  /** Dry run. */
  readonly plan: boolean;
  /** Only this app. */
  readonly app?: { readonly userId: number; readonly id: number } | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface GatewaySyncReport {
  /** Number of developers compared, with all their apps. */
  readonly developers: number;
  readonly drifts: readonly Drift[];
  /** Interrupted changes that could not be settled. */
  readonly unfinished: readonly LoggedOperation[];
  readonly fixed: number;
  readonly failed: readonly { readonly drift: Drift; readonly reason: string }[];
}

/** Compares the portal with the gateway and reconciles them. A second run changes nothing (R18). */
export class GatewaySync {
  constructor(
    private readonly parts: AppParts,
    private readonly gateway: Gateway,
  ) {}

  /** @throws ConflictError for a gateway without an inventory, NotFoundError for an unknown app */
  async run(options: SyncOptions): Promise<GatewaySyncReport> {
    const driver = await this.gateway();
    if (!driver.inventory) {
      const fault = 'The gateway cannot tell what it has, so there is nothing to compare with.';
      throw new ConflictError({ errors: { gateway: [fault] }, detail: `gateway driver ${driver.name}` });
    }
    const { operationLog, recovery } = this.parts;
    if (!options.plan) await recovery().run();
    const run = new SyncRun(this.parts, driver, options);
    if (options.app) await run.compareOne(options.app);
    else await run.compareAll();
    return { ...run.report(), unfinished: (await operationLog.list()).filter(({ state }) => state === 'running') };
  }
}

class SyncRun {
  private readonly drifts: Drift[] = [];
  private readonly failed: { drift: Drift; reason: string }[] = [];
  private readonly apps: AppComparison;
  private readonly accounts: DeveloperComparison;
  private developers = 0;
  private fixed = 0;

  constructor(
    private readonly parts: AppParts,
    driver: GatewayDriver,
    private readonly options: SyncOptions,
  ) {
    this.apps = new AppComparison(parts, driver, options);
    this.accounts = new DeveloperComparison(parts, driver, options);
  }

  report(): Omit<GatewaySyncReport, 'unfinished'> {
    const { developers, drifts, fixed, failed } = this;
    return { developers, drifts, fixed, failed };
  }

  async compareOne({ userId, id }: { readonly userId: number; readonly id: number }): Promise<void> {
    const owner = await this.parts.reader.findOwner(userId);
    if (!owner) throw new NotFoundError();
    await this.compareApps(owner, id);
    this.developers = 1;
  }

  async compareAll(): Promise<void> {
    for await (const drift of this.accounts.differences()) {
      await this.fix(drift, () => this.accounts.repair(drift));
    }
    const total = await countDevelopers(this.parts.database);
    for (let after = 0; ;) {
      const ids = await readDevelopersAfter(this.parts.database, after, BATCH);
      for (const id of ids) {
        const owner = await this.parts.reader.findOwner(id);
        if (owner) await this.compareApps(owner);
        this.developers += 1;
        this.options.onProgress?.(this.developers, total);
      }
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  private async compareApps(owner: UserRecord, only?: number): Promise<void> {
    for (const drift of await this.apps.differences(owner, only)) {
      await this.fix(drift, () => this.apps.repair(drift, owner));
    }
  }

  private async fix(drift: Drift, repair: () => Promise<boolean>): Promise<void> {
    this.drifts.push(drift);
    if (this.options.plan) return;
    try {
      if (await repair()) this.fixed += 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.parts.logger.warn({ err: error, drift }, 'a difference between portal and gateway stays');
      this.failed.push({ drift, reason });
    }
  }
}
