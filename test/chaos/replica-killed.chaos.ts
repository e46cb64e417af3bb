import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { finding } from '../support/chaos/finding.js';
import { brokenPromises } from '../support/crash/broken-promises.js';
import { insertProduct } from '../support/insert-product.js';
import { brokenInvariants } from '../support/crash/invariants.js';
import type { Ledger } from '../support/crash/ledger.js';
import { seededRandom } from '../support/crash/random.js';
import { Writer, type WriterParts } from '../support/crash/writer.js';
import { testConfig } from '../support/database-config.js';
import type { ServingPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';
import { dialectUnderTest } from '../support/test-database.js';

const ROUNDS = 3;
const WRITERS_EACH = 4;
/** How long the other one goes on alone before anybody looks. */
const ALONE_MS = 400;

const random = seededRandom(20_261_121);

/** Developers who write at one replica, one after the other in each slot, until it dies or they are told to stop. */
class Slots {
  readonly ledgers: Ledger[] = [];
  readonly ended: Promise<boolean[]>;
  private readonly writers = new Set<Writer>();
  private isOver = false;

  constructor(private readonly parts: WriterParts) {
    this.ended = Promise.all(Array.from({ length: WRITERS_EACH }, () => this.write()));
  }

  stop(): void {
    this.isOver = true;
    for (const writer of this.writers) writer.stop();
  }

  /** @returns whether it was cut off */
  private async write(): Promise<boolean> {
    for (let isCutOff = false; !isCutOff && !this.isOver;) {
      const writer = new Writer(this.parts);
      this.writers.add(writer);
      this.ledgers.push(writer.ledger);
      isCutOff = await writer.run();
      this.writers.delete(writer);
      if (isCutOff) return true;
    }
    return false;
  }
}

describe('R27: one of two replicas killed in the middle of writes [fast]', () => {
  let project: Project;
  let database: Database;
  let replicas: ServingPortal[];
  beforeAll(async () => {
    project = await createProject(dialectUnderTest(), { app: { url: 'http://portal.test' } });
    database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
    await insertProduct(database, 'payments');
    replicas = [await project.serve(), await project.serve()];
  }, 90_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.close();
    await project.remove();
  });

  async function round(victim: ServingPortal, survivor: ServingPortal) {
    let accepted = 0;
    const deathAfter = 30 + Math.floor(random() * 40);
    const die = async () => {
      await pause(random() * 15);
      victim.process.kill('SIGKILL');
    };
    const onAccepted = () => {
      accepted += 1;
      if (accepted === deathAfter) void die();
    };
    const slots = (url: string) => new Slots({ url, random, product: 'payments', onAccepted });
    const [dying, living] = [slots(victim.url), slots(survivor.url)];
    const cutOff = await dying.ended;
    const diedAt = performance.now();
    await pause(ALONE_MS);
    living.stop();
    const spared = await living.ended;
    const owed = [...dying.ledgers, ...living.ledgers];
    const faults = await brokenInvariants(database);
    for (const ledger of owed) faults.push(...(await brokenPromises(survivor.url, ledger, diedAt)));
    return { accepted, cutOff: cutOff.filter(Boolean).length, spared, faults };
  }

  it('leaves no half of anything, and the other one keeps every promise of both and serves on', async () => {
    const sum = { accepted: 0, cutOff: 0 };
    for (let number = 0; number < ROUNDS; number += 1) {
      const [victim, survivor] = number % 2 === 0 ? [0, 1] : [1, 0];
      const [dying, living] = [replicas[victim], replicas[survivor]] as [ServingPortal, ServingPortal];
      const { accepted, cutOff, spared, faults } = await round(dying, living);
      expect(faults).toEqual([]);
      expect(spared).toEqual(Array(WRITERS_EACH).fill(false));
      sum.accepted += accepted;
      sum.cutOff += cutOff;
      replicas[victim] = await project.serve();
    }
    expect(sum.cutOff).toBe(ROUNDS * WRITERS_EACH);
    finding(
      'R27',
      `one of two replicas killed -9 in the middle of writes, ${ROUNDS} times (${dialectUnderTest() === 'mysql' ? 'MariaDB' : 'SQLite'})`,
      `${sum.accepted} changes accepted, ${sum.cutOff} cut off, every promise kept, no invariant broken`,
    );
  }, 100_000);
});
