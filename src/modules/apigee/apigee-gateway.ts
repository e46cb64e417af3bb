import {
  type GatewayCapabilities,
  type GatewayContext,
  type GatewayDriver,
  GatewayRefusedError,
  readInstallation,
  RemoteClient,
  type RemoteOptions,
  type GatewayProduct,
  type GatewayProducts,
} from '../../gateway/index.js';
import { ApigeeApps } from './apigee-apps.js';
import { ApigeeCalls, type ApigeeContext } from './apigee-calls.js';
import { ApigeeDevelopers } from './apigee-developers.js';
import { ApigeeInventory } from './apigee-inventory.js';
import { ApigeeKeyProducts } from './apigee-key-products.js';
import { ApigeeKeys } from './apigee-keys.js';
import { ApigeeStatistics } from './apigee-statistics.js';
import { ApigeeMarks } from './marks.js';
import type { ApigeeConfig } from './options.js';
import { places } from './place.js';
import { chooseSignIn } from './sign-in.js';
import { type ApigeeList, readAllPages } from './paging.js';

interface ApigeeParts extends Pick<GatewayContext, 'clock' | 'logger' | 'processMetrics' | 'tracer'> {
  /** This portal's random id. */
  readonly installation: string;
}

/** @param root folder of the host project */
export async function openApigee(
  settings: ApigeeConfig,
  context: GatewayContext,
  root: string,
): Promise<GatewayDriver> {
  const installation = await readInstallation(context.database);
  return new ApigeeGateway({ ...context, installation }, settings, root);
}

/** An organization of Apigee X, hybrid or Edge, through its management API. */
export class ApigeeGateway implements GatewayDriver {
  readonly name = 'apigee';
  readonly capabilities: GatewayCapabilities = {
    developers: true,
    // Apigee reports this state, but it cannot be set.
    pending: false,
    keyStatus: true,
    productsPerKey: true,
    productStatusPerKey: true,
    readSecret: true,
    importKey: true,
    expiry: 'fixed',
    usage: false,
    plans: true,
    limits: true,
    teams: true,
    moveApps: true,
    movesPauseKeys: true,
  };
  readonly developers: ApigeeDevelopers;
  readonly apps: ApigeeApps;
  readonly keys: ApigeeKeys;
  readonly keyProducts: ApigeeKeyProducts;
  readonly products: ApigeeProducts;
  readonly inventory: ApigeeInventory;
  readonly statistics?: ApigeeStatistics;
  private readonly context: ApigeeContext;

  /**
   * @param root folder of the host project
   * @param time replaces the real waits in tests
   */
  constructor(
    { installation, clock, logger, processMetrics, tracer }: ApigeeParts,
    private readonly settings: ApigeeConfig,
    root: string,
    time: Pick<RemoteOptions, 'pace' | 'random'> = {},
  ) {
    const { platform, endpoint, organization, timeout, callsPerMinute, attribute } = settings;
    const shared = { timeout, callsPerMinute, clock, logger, processMetrics, tracer, ...time };
    const line = (name: string) => new RemoteClient({ name, ...shared });
    const remote = line('apigee');
    const signIn = chooseSignIn(settings, root, line('apigee sign-in'), clock);
    const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/organizations/${encodeURIComponent(organization)}`;
    const marks = new ApigeeMarks(attribute, installation);
    this.context = { platform, marks, clock, logger, begin: () => new ApigeeCalls(remote, signIn, url) };
    this.developers = new ApigeeDevelopers(this.context);
    this.keys = new ApigeeKeys(this.context, this.developers);
    this.apps = new ApigeeApps(this.context, this.developers, this.keys);
    this.keyProducts = new ApigeeKeyProducts(this.context, this.developers);
    this.products = new ApigeeProducts(this.context);
    this.inventory = new ApigeeInventory(this.context);
    const { environments } = settings;
    if (environments.length > 0) this.statistics = new ApigeeStatistics(this.context, environments);
  }

  async check(): Promise<void> {
    const read = (body: unknown) => body as { readonly runtimeType?: unknown } | null;
    const organization = await this.context.begin().get(places.organization, read);
    const actual = typeof organization?.runtimeType === 'string' ? 'x' : 'edge';
    if (actual === this.settings.platform) return;
    const detail = `${this.settings.organization} is an organization of ${actual}, not of ${this.settings.platform}`;
    throw new GatewayRefusedError({ detail: `${detail}. Fix: set gateway.apigee.platform to ${actual}` });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Apigee's maximum is 1000, but records with all their operations are large. */
const PAGE = 200;

const products: ApigeeList<GatewayProduct> = {
  place: places.products,
  property: 'apiProduct',
  read: productOf,
  keyOf: ({ name }) => name,
  size: PAGE,
};

/** Products are referenced by their internal name, which never changes. */
class ApigeeProducts implements GatewayProducts {
  constructor(private readonly context: ApigeeContext) {}

  list(): Promise<readonly GatewayProduct[]> {
    return readAllPages(this.context.begin, products);
  }
}

function productOf(value: unknown): GatewayProduct {
  const { name, displayName, description } = value as Readonly<Record<string, unknown>>;
  const text = (content: unknown, fallback: string): string =>
    typeof content === 'string' && content !== '' ? content : fallback;
  return { name: text(name, ''), displayName: text(displayName, text(name, '')), description: text(description, '') };
}
