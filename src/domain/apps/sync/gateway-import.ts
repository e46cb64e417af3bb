import {
  GatewayUnavailableError,
  type FoundApp,
  type FoundDeveloper,
  type Gateway,
  type GatewayDriver,
  type GatewayInventory,
} from '../../../gateway/index.js';
import { ConflictError } from '../../../core/index.js';
import type { AppParts } from '../app-parts.js';
import { GatewayImportFinishedEvent } from '../events.js';
import type { ProductDrafts } from '../contracts.js';
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

/**
 * Imports what a gateway had before the portal. Each developer is one step: their rows in one transaction, then the
 * portal's ids on keys, apps and, last, on the developer, so that a marked developer is complete. An interrupted run
 * can be resumed; only one page of developers is in memory.
 */
export class GatewayImport {
  constructor(
    private readonly parts: AppParts,
    private readonly gateway: Gateway,
    private readonly drafts: ProductDrafts,
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
    if (!options.dryRun && report.developers > 0) {
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
    driver: GatewayDriver,
    private readonly inventory: GatewayInventory,
    drafts: ProductDrafts,
    private readonly options: ImportOptions,
  ) {
    this.products = new ImportedProducts(parts.database, drafts, driver.products, options.dryRun);
    this.developers = new DeveloperImport(parts, this.products, this.count);
    this.claims = new OwnershipClaims(parts, inventory);
  }

  async importAll(): Promise<ImportReport> {
    await this.products.load();
    const total = await this.total();
    for await (const page of this.pages()) {
      await inParallel(page, this.options.parallel, async (developer) => {
        await this.one(developer);
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

  private async *pages(): AsyncGenerator<readonly FoundDeveloper[]> {
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<GatewayInventory['developers']>> = await this.inventory.developers(after);
      yield page.items;
      if (page.next === null) return;
      after = page.next;
    }
  }

  private async one(developer: FoundDeveloper): Promise<void> {
    try {
      await this.takeOver(developer);
    } catch (error) {
      if (error instanceof GatewayUnavailableError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      this.count.note(developer.email, null, reason);
      if (error instanceof LeftOutError) this.count.skipped += 1;
      else {
        this.count.failed += 1;
        this.parts.logger.warn({ err: error, developer: developer.gatewayId }, 'a developer could not be imported');
      }
    }
  }

  private async takeOver(developer: FoundDeveloper): Promise<void> {
    const { dryRun, foreign } = this.options;
    const known = await this.claims.ownerOf(developer);
    if (known !== null) {
      this.count.already += 1;
      if (known.isClaimed || dryRun) return;
      return this.claims.claim(developer, known.userId, await this.inventory.apps(developer.gatewayId));
    }
    if (developer.portalId !== null && !foreign) {
      throw new LeftOutError(`carries the id ${developer.portalId} of another portal; take them over with --foreign`);
    }
    const apps = this.developers.selectUsable(developer, await this.inventory.apps(developer.gatewayId));
    if (dryRun) await this.look(developer, apps);
    else await this.claims.claim(developer, await this.developers.write(developer, apps), apps);
    this.count.developers += 1;
    this.count.apps += apps.length;
    this.count.keys += apps.reduce((sum, { keys }) => sum + keys.length, 0);
  }

  private async look(developer: FoundDeveloper, apps: readonly FoundApp[]): Promise<void> {
    await this.developers.check(developer);
    await this.products.idsOf(
      apps.flatMap(({ keys }) => keys.flatMap((key) => key.products.map(({ product }) => product))),
    );
  }
}

/** @throws the first error, once the running ones are done */
async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.max(1, atOnce) }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
