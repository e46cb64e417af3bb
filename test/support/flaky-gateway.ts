import {
  configureGateway,
  type GatewayCapabilities,
  type GatewayContext,
  type GatewayDriver,
} from '../../src/gateway/index.js';

type Group = 'developers' | 'apps' | 'keys' | 'keyProducts' | 'products';

/** `before`: the call is lost on its way; `after`: it is done, and the answer is lost; `late`: it is done long after. */
interface Fault {
  when: 'before' | 'after' | 'late';
  error: Error;
  /** Which of the calls are lost; all of them by default. */
  isHit: () => boolean;
}

/** The local gateway behind a line that tests can cut, call by call, and without what tests take from it. */
export class FlakyGateway implements GatewayDriver {
  readonly name = 'flaky';
  capabilities: GatewayCapabilities;
  readonly developers: GatewayDriver['developers'];
  readonly apps: GatewayDriver['apps'];
  readonly keys: GatewayDriver['keys'];
  readonly keyProducts: GatewayDriver['keyProducts'];
  readonly products: GatewayDriver['products'];
  readonly inventory?: NonNullable<GatewayDriver['inventory']>;
  readonly calls: string[] = [];
  private readonly faults = new Map<string, Fault>();
  private readonly held = new Map<string, Promise<void>>();
  private readonly waiting = new Map<string, () => void>();
  private late: (() => Promise<unknown>)[] = [];

  private constructor(private readonly inner: GatewayDriver) {
    this.capabilities = inner.capabilities;
    this.developers = this.cuttable('developers');
    this.apps = this.cuttable('apps');
    this.keys = this.cuttable('keys');
    this.keyProducts = this.cuttable('keyProducts');
    this.products = this.cuttable('products');
    if (inner.inventory) this.inventory = inner.inventory;
  }

  static async open(context: GatewayContext): Promise<FlakyGateway> {
    return new FlakyGateway(await configureGateway('local', context).open());
  }

  get verifier(): NonNullable<GatewayDriver['verifier']> {
    if (!this.inner.verifier) throw new Error('the local gateway has a verifier');
    return this.inner.verifier;
  }

  /** From now on these calls fail, for example `apps.create`. */
  cut(error: Error, when: Fault['when'], ...calls: string[]): void {
    for (const call of calls) this.faults.set(call, { when, error, isHit: () => true });
  }

  /** The same for some of the calls: `isHit` is asked before each. */
  cutWhen(error: Error, call: string, isHit: () => boolean, when: Fault['when'] = 'before'): void {
    this.faults.set(call, { when, error, isHit });
  }

  /** Calls that were late are done now. */
  async arrive(): Promise<void> {
    const late = this.late;
    this.late = [];
    for (const call of late) await call();
  }

  mend(): void {
    this.faults.clear();
    this.held.clear();
  }

  /** From now on these calls wait before they are done. */
  holdUp(call: string, until: Promise<void>): void {
    this.held.set(call, until);
  }

  /** Resolves with the next of these calls. */
  called(call: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(call, resolve));
  }

  check = (): Promise<void> => this.inner.check();
  close = (): Promise<void> => this.inner.close();

  private cuttable<G extends Group>(group: G): GatewayDriver[G] {
    const target = this.inner[group];
    return new Proxy(target, {
      get: (_, method: string) => {
        const call = (target as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[method];
        return async (...values: unknown[]): Promise<unknown> => {
          const name = `${group}.${method}`;
          this.calls.push(name);
          this.waiting.get(name)?.();
          await this.held.get(name);
          const fault = this.faults.get(name);
          const isHit = fault?.isHit() ?? false;
          if (isHit && fault?.when === 'before') throw fault.error;
          if (isHit && fault?.when === 'late') {
            this.late.push(async () => call?.apply(target, values));
            throw fault.error;
          }
          const result = await call?.apply(target, values);
          if (isHit && fault) throw fault.error;
          return result;
        };
      },
    });
  }
}
