import {
  GatewayUnavailableError,
  type FoundApp,
  type FoundDeveloper,
  type FoundTeam,
  type Gateway,
  type GatewayDriver,
  type GatewayInventory,
  type InventoryPage,
} from '../../../gateway/index.js';
import { ConflictError } from '../../../core/index.js';
import type { AppParts } from '../app-parts.js';
import { GatewayImportFinishedEvent } from '../events.js';
import type { ProductDrafts, TeamDrafts } from '../contracts.js';
import { DeveloperImport, LeftOutError } from './developer-import.js';
import { ImportCount, type ImportReport } from './import-report.js';
import { ImportedProducts } from './imported-products.js';
import { OwnershipClaims } from './ownership-claims.js';

export interface ImportOptions {
  /** Only reads and counts; changes nothing on either side. */
  readonly dryRun: boolean;
  /** Also imports records that carry another portal's ids. */
  readonly foreign: boolean;
  /** Number of developers imported in parallel. */
  readonly parallel: number;
  readonly onProgress?: (done: number, total: number | null) => void;
}

interface Drafts {
  readonly products: ProductDrafts;
  readonly teams: TeamDrafts;
}

/** A developer or a team of the gateway, with what importing one takes. */
interface FoundOwner extends Pick<FoundDeveloper, 'gatewayId' | 'portalId'> {
  readonly counted: 'developers' | 'teams';
  /** As the report names it. */
  readonly label: string;
  /** @throws LeftOutError */
  check(): Promise<unknown>;
  /** @returns the id of the account. @throws LeftOutError */
  write(apps: readonly FoundApp[]): Promise<number>;
}

/**
 * Imports what a gateway had before the portal. Each developer, and then each team, is one step: their rows in one transaction,
 * then the portal's ids on keys, apps and, last, on the developer, so that a marked developer is complete. An interrupted run
 * can be resumed; only one page of developers is in memory.
 */
export class GatewayImport {
  constructor(
    private readonly parts: AppParts,
    private readonly gateway: Gateway,
    private readonly drafts: Drafts,
  ) {}

  /**
   * @throws ConflictError for a gateway that cannot be read, GatewayUnavailableError when it goes down: run it again
   */
  async run(options: ImportOptions): Promise<ImportReport> {
    const driver = await this.gateway();
    const { inventory } = driver;
    if (!inventory) {
      const fault = 'The gateway cannot tell what it has, so there is nothing to import.';
      throw new ConflictError({ errors: { gateway: [fault] }, detail: `gateway driver ${driver.name}` });
    }
    const run = new ImportRun(this.parts, driver, inventory, this.drafts, options);
    const report = await run.importAll();
    const { clock, events } = this.parts;
    if (!options.dryRun && report.developers + report.teams > 0) {
      await this.parts.database.transaction((transaction) =>
        events.emit(new GatewayImportFinishedEvent({ ...report, occurredAt: clock.now() }), transaction),
      );
    }
    return report;
  }
}

class ImportRun {
  private readonly count = new ImportCount();
  private readonly products: ImportedProducts;
  private readonly developers: DeveloperImport;
  private readonly claims: OwnershipClaims;
  private done = 0;

  constructor(
    private readonly parts: AppParts,
    private readonly driver: GatewayDriver,
    private readonly inventory: GatewayInventory,
    drafts: Drafts,
    private readonly options: ImportOptions,
  ) {
    this.products = new ImportedProducts(parts.database, drafts.products, driver.products, options.dryRun);
    this.developers = new DeveloperImport({ ...parts, products: this.products, teams: drafts.teams }, this.count);
    this.claims = new OwnershipClaims(parts, inventory);
  }

  async importAll(): Promise<ImportReport> {
    await this.products.load();
    const total = await this.total();
    for await (const page of this.pages()) {
      await runInParallel(page, this.options.parallel, async (owner) => {
        await this.one(owner);
        this.done += 1;
        this.options.onProgress?.(this.done, total);
      });
    }
    this.count.products = this.products.made;
    return this.count.report();
  }

  // Costs a few extra calls, so that the progress bar has a total.
  private async total(): Promise<number> {
    let total = 0;
    for await (const page of this.pages()) total += page.length;
    return total;
  }

  // Developers first: those who are in a team have accounts by then.
  private async *pages(): AsyncGenerator<readonly FoundOwner[]> {
    const { inventory } = this;
    const developers = pagesOf((after) => inventory.developers(after));
    for await (const page of developers) yield page.map((developer) => this.personOf(developer));
    for await (const page of readTeamPages(this.driver)) yield page.map((team) => this.teamOf(team));
  }

  private personOf(developer: FoundDeveloper): FoundOwner {
    const { gatewayId, portalId, email } = developer;
    return {
      ...{ gatewayId, portalId, label: email, counted: 'developers' },
      check: () => this.developers.check(developer),
      write: (apps) => this.developers.write(developer, apps),
    };
  }

  private teamOf(team: FoundTeam): FoundOwner {
    const { gatewayId, portalId, name } = team;
    return {
      ...{ gatewayId, portalId, label: name, counted: 'teams' },
      check: () => Promise.resolve(),
      write: (apps) => this.developers.writeTeam(team, apps),
    };
  }

  private async one(owner: FoundOwner): Promise<void> {
    try {
      await this.takeOver(owner);
    } catch (error) {
      if (error instanceof GatewayUnavailableError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      this.count.note(owner.label, null, reason);
      if (error instanceof LeftOutError) this.count.skipped += 1;
      else {
        this.count.failed += 1;
        this.parts.logger.warn({ err: error, developer: owner.gatewayId }, 'a developer could not be imported');
      }
    }
  }

  private async takeOver(owner: FoundOwner): Promise<void> {
    const { dryRun, foreign } = this.options;
    const known = await this.claims.ownerOf(owner);
    if (known !== null) {
      this.count.already += 1;
      if (known.isClaimed || dryRun) return;
      return this.claims.claim(owner, known.userId, await this.inventory.apps(owner.gatewayId));
    }
    if (owner.portalId !== null && !foreign) {
      throw new LeftOutError(`carries the id ${owner.portalId} of another portal; take them over with --foreign`);
    }
    const apps = this.developers.selectUsable(owner.label, await this.inventory.apps(owner.gatewayId));
    if (dryRun) await this.look(owner, apps);
    else await this.claims.claim(owner, await owner.write(apps), apps);
    this.count[owner.counted] += 1;
    this.count.apps += apps.length;
    this.count.keys += apps.reduce((sum, { keys }) => sum + keys.length, 0);
  }

  private async look(owner: FoundOwner, apps: readonly FoundApp[]): Promise<void> {
    await owner.check();
    await this.products.idsOf(
      apps.flatMap(({ keys }) => keys.flatMap((key) => key.products.map(({ product }) => product))),
    );
  }
}

/** The teams of a gateway; none of one that has no such thing. */
export async function* readTeamPages({ capabilities, inventory }: GatewayDriver): AsyncGenerator<readonly FoundTeam[]> {
  const read = capabilities.teams === true ? inventory?.teams?.bind(inventory) : undefined;
  if (read) yield* pagesOf(read);
}

/** Every page of a list. */
export async function* pagesOf<T>(
  read: (after: string | null) => Promise<InventoryPage<T>>,
): AsyncGenerator<readonly T[]> {
  for (let after: string | null = null; ;) {
    const page: InventoryPage<T> = await read(after);
    yield page.items;
    if (page.next === null) return;
    after = page.next;
  }
}

/** @throws the first error, once the running ones are done */
async function runInParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.max(1, atOnce) }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
