import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dialect } from '../../../src/database/index.js';
import type { GatewayDriver, KeyPair } from '../../../src/gateway/index.js';
import { gatewaySide, portalSide } from '../both-sides.js';
import { startChild } from '../child-process.js';
import { createProduct, createUser } from '../factories.js';
import type { Answer } from '../http-client.js';
import { FakeClock } from '../fake-clock.js';
import { startTestPortal, type TestPortal } from '../test-portal.js';
import { operations, type BreakOff, type GatewayPlace, type Operation } from './operations.js';

/** Seconds until an interrupted change must be settled. */
const SOON_S = 50;
/** Seconds until a call whose answer was lost must have arrived. */
const LATE_S = 70;
/** Seconds until an Idempotency-Key of a dead process is free again. */
const LEASE_S = 60;

export type Repeatable = 'postKey' | 'postRotation';

export interface SagaRunOptions {
  readonly dialect: Dialect;
  readonly gateway: GatewayPlace;
  /** Builds the same gateway for this process. */
  readonly driver: (test: TestPortal) => Promise<GatewayDriver>;
  readonly operations?: readonly Operation[] | undefined;
  readonly report?: (line: string) => void;
}

export interface SagaRunResult {
  readonly kills: number;
  readonly faults: readonly string[];
}

/** Kills a process at every step of every change, and checks each time that both sides agree in the end. */
export async function breakOffEverywhere(options: SagaRunOptions): Promise<SagaRunResult> {
  const appKey = `base64:${randomBytes(32).toString('base64')}`;
  const test = await startSagaPortal(options, appKey);
  try {
    return await new SagaRun(test, appKey, options).run();
  } finally {
    await test.stop();
  }
}

/** Kills a process at every step of a request with an Idempotency-Key, and repeats it at the next process. */
export async function breakOffAndRepeat(options: SagaRunOptions, operation: Repeatable): Promise<SagaRunResult> {
  const appKey = `base64:${randomBytes(32).toString('base64')}`;
  const test = await startSagaPortal(options, appKey);
  try {
    return await new SagaRun(test, appKey, options).runAndRepeat(operation);
  } finally {
    await test.stop();
  }
}

/** Runs with the real time. */
class RunningClock extends FakeClock {
  override now(): Date {
    return new Date();
  }
}

/**
 * Kills a process in the middle of a change and runs a portal with nothing but its jobs.
 * @param killAt a step after which both sides differ
 * @returns real seconds until they agreed
 */
export async function secondsUntilAgreement(
  options: SagaRunOptions,
  operation: Operation,
  killAt: number,
): Promise<number> {
  const appKey = `base64:${randomBytes(32).toString('base64')}`;
  const test = await startSagaPortal(options, appKey, new RunningClock());
  try {
    const run = new SagaRun(test, appKey, options);
    await run.breakOff(operation, killAt);
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    if (await run.agrees()) throw new Error(`${operation} left nothing to do at step ${killAt}`);
    test.portal.jobs.start();
    while (!(await run.agrees()) && seconds() < 120) await pause(500);
    return seconds();
  } finally {
    await test.stop();
  }
}

async function startSagaPortal(
  { gateway, dialect, driver: make }: SagaRunOptions,
  appKey: string,
  clock = new FakeClock(),
): Promise<TestPortal> {
  const { driver, config, remote } = gateway;
  const test: TestPortal = await startTestPortal({
    ...{ dialect, clock },
    config: { app: { key: appKey }, gateway: { ...config, driver: remote ? 'remote' : driver } },
    extensions: { gatewayDrivers: { remote: () => make(test) } },
  });
  for (const slug of ['payments', 'geo', 'maps']) await createProduct(test, { slug, gatewayProductId: slug });
  return test;
}

class SagaRun {
  private readonly faults: string[] = [];
  private kills = 0;
  /** What `shop` was made with, key and secret, by its developer. */
  private readonly keys = new Map<number, string>();

  constructor(
    private readonly test: TestPortal,
    private readonly appKey: string,
    private readonly options: SagaRunOptions,
  ) {}

  async run(): Promise<SagaRunResult> {
    const chosen = this.options.operations ?? (Object.keys(operations) as Operation[]);
    for (const operation of chosen) {
      const steps = await this.steps(operation);
      for (let killAt = 1; killAt <= steps.length; killAt += 1) {
        await this.kill(operation, killAt, steps[killAt - 1] ?? '');
      }
      this.options.report?.(`${operation}: ${steps.length} steps, ${this.faults.length} faults so far`);
    }
    return { kills: this.kills, faults: this.faults };
  }

  async runAndRepeat(operation: Repeatable): Promise<SagaRunResult> {
    const steps = await this.steps(operation);
    for (let killAt = 1; killAt <= steps.length; killAt += 1) {
      const userId = await this.developer();
      if ((await this.breakOff(operation, killAt, userId)) === 'SIGKILL') this.kills += 1;
      await this.repeat(operation, userId, `${operation}, killed at ${steps[killAt - 1] ?? ''}`);
    }
    return { kills: this.kills, faults: this.faults };
  }

  /** Repeats the unanswered request twice: exactly one key exists, and both answers contain it. */
  private async repeat(operation: Repeatable, userId: number, name: string): Promise<void> {
    const { portal, clock } = this.test;
    clock.advance(LEASE_S);
    const answers: Answer[] = [];
    for (let round = 0; round < 2; round += 1) answers.push(await (await operations[operation](portal, userId))());
    const keys = new Set(answers.map(({ json }) => (json.data as Record<string, string>).consumer_key));
    const statuses = answers.map(({ status }) => status).join();
    if (statuses !== '201,201' || keys.size !== 1) this.fault(`${name}: answered ${statuses} with ${keys.size} keys`);
    const owner = await portal.services.accounts.users.find(userId);
    const shop = await portal.services.apps.apps.view(await portal.services.apps.apps.find(owner, 'shop'));
    const live = shop.credentials?.filter(({ status }) => status === 'approved').length;
    const expected = operation === 'postKey' ? 2 : 1;
    if (live !== expected) this.fault(`${name}: ${live} live keys instead of ${expected}`);
    await this.comeTogether(name, SOON_S);
    await this.comeTogether(`${name}, later`, LATE_S);
  }

  /** The steps of an operation that is not interrupted. */
  private async steps(operation: Operation): Promise<string[]> {
    const child = this.start({ operation, userId: await this.developer(), killAt: null });
    return (await child.result).trim().split('\n');
  }

  /** @returns the signal or exit code of the process */
  async breakOff(operation: Operation, killAt: number, developer?: number): Promise<unknown> {
    const child = this.start({ operation, userId: developer ?? (await this.developer()), killAt });
    return new Promise((resolve) => child.process.on('close', (code, signal) => resolve(signal ?? code)));
  }

  async agrees(): Promise<boolean> {
    const { missing, extra } = await this.compare();
    return missing.length === 0 && extra.length === 0;
  }

  private async kill(operation: Operation, killAt: number, step: string): Promise<void> {
    const userId = await this.developer();
    const end = await this.breakOff(operation, killAt, userId);
    // The change may need a step fewer than the observed one, and finish.
    if (end === 'SIGKILL') this.kills += 1;
    else if (end !== 0) this.fault(`${operation} ended with ${String(end)} before step ${killAt}`);
    await this.comeTogether(`${operation}, killed at ${step}`, SOON_S);
    await this.comeTogether(`${operation}, killed at ${step}, later`, LATE_S);
    if (operation === 'transferApp') await this.requireSameKey(userId, `${operation}, killed at ${step}`);
  }

  /** The app has one owner, the developer or the team, and the key that it was made with. */
  private async requireSameKey(userId: number, name: string): Promise<void> {
    const { apps, teams } = this.test.portal.services;
    const [seat] = await teams.teams.seatsOf(userId);
    const owners = [await teams.teams.findOwner(userId), ...(seat ? [await teams.teams.accountOf(seat.team)] : [])];
    const found = await Promise.allSettled(owners.map((owner) => apps.apps.find(owner, 'shop')));
    const [owned, ...more] = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (!owned || more.length > 0) return this.fault(`${name}: ${owned ? 'two owners' : 'no owner'}`);
    const keys = (await apps.apps.view(owned)).credentials ?? [];
    const by = { type: 'developer', id: userId } as const;
    const shown = await apps.credentials.reveal(await apps.credentials.find(owned, keys[0]?.id ?? 0), by);
    if (keys.length !== 1 || pairOf(shown.key) !== this.keys.get(userId)) this.fault(`${name}: another key`);
  }

  private async comeTogether(name: string, seconds: number): Promise<void> {
    const { portal, clock } = this.test;
    clock.advance(seconds);
    const { failed } = await portal.services.apps.recovery.run();
    if (failed > 0) this.fault(`${name}: recovery failed`);
    const { missing, extra } = await this.compare();
    if (missing.length > 0) this.fault(`${name}: only in the portal: ${missing.join('; ')}`);
    if (extra.length > 0) this.fault(`${name}: only at the gateway: ${extra.join('; ')}`);
    const { drifts, unfinished } = await portal.services.apps.sync.run({ plan: true, reopen: false, prune: true });
    if (drifts.length > 0) this.fault(`${name}: sync finds ${JSON.stringify(drifts)}`);
    if (unfinished.length > 0) this.fault(`${name}: not finished: ${unfinished.map(({ kind }) => kind).join()}`);
  }

  private async compare(): Promise<{ missing: readonly string[]; extra: readonly string[] }> {
    const { portal } = this.test;
    const driver = await portal.gateway.open();
    const [here, there] = [await portalSide(portal.database), await gatewaySide(driver)];
    return {
      missing: here.filter((line) => !there.includes(line)),
      extra: there.filter((line) => !here.includes(line)),
    };
  }

  private fault(text: string): void {
    this.faults.push(text);
    this.options.report?.(`FAULT ${text}`);
  }

  /** Creates a developer with the apps that the operations change. */
  private async developer(): Promise<number> {
    const { services } = this.test.portal;
    const owner = await createUser(this.test);
    const by = { type: 'developer', id: owner.id } as const;
    const shop = await services.apps.apps.create(owner, { name: 'shop', products: ['payments'] }, by);
    this.keys.set(owner.id, pairOf(shop.credentials?.[0]?.key));
    await services.apps.apps.create(owner, { name: 'closed', products: ['payments'] }, by);
    await services.apps.apps.revoke(await services.apps.apps.find(owner, 'closed'), by);
    return owner.id;
  }

  private start(task: Pick<BreakOff, 'operation' | 'userId' | 'killAt'>) {
    const { gateway } = this.options;
    const whole: BreakOff = {
      ...task,
      gateway,
      databaseUrl: this.test.databaseUrl,
      appKey: this.appKey,
      now: this.test.clock.now().toISOString(),
    };
    return startChild(import.meta.url, './children/break-off.js', [JSON.stringify(whole)]);
  }
}

function pairOf(key: KeyPair | null | undefined): string {
  return key ? `${key.consumerKey} ${key.consumerSecret}` : '';
}
