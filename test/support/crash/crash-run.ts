import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, type Database, type Dialect } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { testConfig } from '../database-config.js';
import { createProject, type Project } from '../project.js';
import { insertProduct } from '../insert-product.js';
import { brokenPromises } from './broken-promises.js';
import { brokenInvariants } from './invariants.js';
import type { Ledger } from './ledger.js';
import { seededRandom } from './random.js';
import { Writer, type WriterParts } from './writer.js';

export interface CrashOptions {
  readonly kills: number;
  readonly dialect: Dialect;
  readonly seed: number;
  /** Number of concurrent developers. */
  readonly writers?: number;
  readonly report?: (line: string) => void;
}

export interface CrashResult {
  /** Successful writes in all lives of the process. */
  readonly accepted: number;
  /** Interrupted changes. */
  readonly cutOff: number;
  /** Violations, with the number of the kill. */
  readonly faults: readonly string[];
}

const PRODUCT = 'payments';
/**
 * Repeatedly kills a real `portal serve` while developers write through HTTP. After each kill the database must be
 * consistent, and the next process must keep every promise of the dead one.
 */
export async function crashAgainAndAgain(options: CrashOptions): Promise<CrashResult> {
  const project = await createProject(options.dialect);
  const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  try {
    await insertProduct(database, PRODUCT);
    return await new CrashRun(options, project, database).run();
  } finally {
    await database.close();
    await project.remove();
  }
}

class CrashRun {
  private readonly random: () => number;
  private readonly faults: string[] = [];
  private accepted = 0;
  private cutOff = 0;
  private owed: readonly Ledger[] = [];

  constructor(
    private readonly options: CrashOptions,
    private readonly project: Project,
    private readonly database: Database,
  ) {
    this.random = seededRandom(options.seed);
  }

  async run(): Promise<CrashResult> {
    let diedAt = 0;
    for (let kill = 1; kill <= this.options.kills; kill += 1) {
      diedAt = await this.live(kill, diedAt);
      for (const fault of await brokenInvariants(this.database)) this.faults.push(`kill ${kill}: ${fault}`);
      this.options.report?.(`kill ${kill}: ${this.accepted} accepted so far, ${this.faults.length} faults`);
    }
    await this.live(this.options.kills + 1, diedAt, false);
    return { accepted: this.accepted, cutOff: this.cutOff, faults: this.faults };
  }

  /** One life of the process: checks the promises of the one before, writes, and is killed. */
  private async live(number: number, diedAt: number, writes = true): Promise<number> {
    const serving = await this.project.serve();
    const broken = await Promise.all(this.owed.map((ledger) => brokenPromises(serving.url, ledger, diedAt)));
    this.faults.push(...broken.flat().map((fault) => `after kill ${number - 1}: ${fault}`));
    if (!writes) {
      await serving.stop();
      return 0;
    }
    const { writers = 8 } = this.options;
    const deathAfter = this.accepted + writers + Math.floor(this.random() * writers * 12);
    const die = async (): Promise<void> => {
      // At a random point of the next changes, not just after an answer.
      await pause(this.random() * 15);
      serving.process.kill('SIGKILL');
    };
    const onAccepted = (): void => {
      this.accepted += 1;
      if (this.accepted === deathAfter) void die();
    };
    const parts = { url: serving.url, random: this.random, product: PRODUCT, onAccepted };
    const slots = Array.from({ length: writers }, () => this.writeUntilDeath(parts));
    this.owed = (await Promise.all(slots)).flat();
    await serving.ended;
    return performance.now();
  }

  /** One developer after the other. */
  private async writeUntilDeath(parts: WriterParts): Promise<Ledger[]> {
    const ledgers: Ledger[] = [];
    for (let isCutOff = false; !isCutOff;) {
      const writer = new Writer(parts);
      ledgers.push(writer.ledger);
      isCutOff = await writer.run();
    }
    this.cutOff += 1;
    return ledgers;
  }
}
