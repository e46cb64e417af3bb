import { setTimeout as wait } from 'node:timers/promises';
import type { GatewayDriver } from '../../src/gateway/index.js';

const GROUPS = ['developers', 'apps', 'keys', 'keyProducts', 'products', 'inventory'] as const;

/** A driver that counts and delays calls. */
export class CountingGateway {
  readonly driver: GatewayDriver;
  /** Names of the calls, such as `keys.lastUse`; tests reset it. */
  calls: string[] = [];
  /** Length of the longest sequence of calls; tests reset it. */
  rounds = 0;
  /** Minimum duration of each call in milliseconds. */
  delay = 0;
  /** Thrown by each call. */
  fault: Error | null = null;

  constructor(inner: GatewayDriver) {
    const groups = GROUPS.flatMap((name) => (inner[name] ? [[name, this.counted(name, inner[name])]] : []));
    const { name, capabilities, verifier } = inner;
    this.driver = {
      ...(Object.fromEntries(groups) as Pick<GatewayDriver, (typeof GROUPS)[number]>),
      ...{ name, capabilities, ...(verifier && { verifier }) },
      check: () => this.call('check', () => inner.check()),
      close: () => inner.close(),
    };
  }

  private counted(group: string, target: object): object {
    return new Proxy(target, {
      get: (_, method: string) => {
        const call = (target as Record<string, (...values: unknown[]) => Promise<unknown>>)[method];
        return (...values: unknown[]) => this.call(`${group}.${method}`, async () => call?.apply(target, values));
      },
    });
  }

  private async call<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    const round = this.rounds + 1;
    if (this.delay > 0) await wait(this.delay);
    this.rounds = Math.max(this.rounds, round);
    if (this.fault) throw this.fault;
    return run();
  }
}
