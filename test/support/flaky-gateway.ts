import {
  configureGateway,
  type GatewayCapabilities,
  type GatewayContext,
  type GatewayDriver,
} from '../../src/gateway/index.js';

type Group = 'developers' | 'apps' | 'keys' | 'keyProducts' | 'products';

/** `before`: the call is lost on its way; `after`: it is done, and the answer is lost. */
interface Fault {
  when: 'before' | 'after';
  error: Error;
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
  readonly calls: string[] = [];
  private readonly faults = new Map<string, Fault>();

  private constructor(private readonly inner: GatewayDriver) {
    this.capabilities = inner.capabilities;
    this.developers = this.cuttable('developers');
    this.apps = this.cuttable('apps');
    this.keys = this.cuttable('keys');
    this.keyProducts = this.cuttable('keyProducts');
    this.products = this.cuttable('products');
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
    for (const call of calls) this.faults.set(call, { when, error });
  }

  mend(): void {
    this.faults.clear();
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
          const fault = this.faults.get(name);
          if (fault?.when === 'before') throw fault.error;
          const result = await call?.apply(target, values);
          if (fault) throw fault.error;
          return result;
        };
      },
    });
  }
}
