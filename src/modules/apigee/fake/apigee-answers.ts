import type {
  ApigeeFlavour,
  AppState,
  DeveloperState,
  FakeApigeeProduct,
  GroupState,
  KeyState,
} from './apigee-model.js';

/** Records in the form of one flavour: X sends 64-bit numbers as strings, Edge as numbers. */
export class ApigeeAnswers {
  constructor(
    private readonly flavour: ApigeeFlavour,
    private readonly organization: string,
  ) {}

  developer(developer: DeveloperState): Record<string, unknown> {
    const { email, firstName, lastName, userName, developerId, status, attributes, apps } = developer;
    return {
      ...{ email, firstName, lastName, userName, developerId, status, attributes },
      // X lists no more than a hundred here.
      apps: [...apps.keys()].slice(0, this.flavour === 'x' ? 100 : undefined),
      companies: [],
      organizationName: this.organization,
      ...this.times(developer),
      ...(this.flavour === 'edge' && { createdBy: 'stand-in', lastModifiedBy: 'stand-in' }),
    };
  }

  group(group: GroupState): Record<string, unknown> {
    const { name, displayName, status, attributes } = group;
    return { name, displayName, status, attributes, organization: this.organization, ...this.times(group) };
  }

  app(app: AppState): Record<string, unknown> {
    const { appId, name, developerId, status, callbackUrl, attributes, scopes, keys } = app;
    const group = /^group:(.*)$/.exec(developerId)?.[1];
    const owner =
      group === undefined ? { developerId } : { [this.flavour === 'x' ? 'appGroup' : 'companyName']: group };
    return {
      ...{ appId, name, ...owner, status, attributes, scopes, appFamily: 'default' },
      ...(callbackUrl !== undefined && { callbackUrl }),
      ...this.times(app),
      credentials: keys.map((key) => this.key(key)),
    };
  }

  /** An app in the list of the whole organization, where X repeats the products at the app. */
  organizationApp(app: AppState, withKeys: boolean): Record<string, unknown> {
    const { credentials, appFamily: _, ...rest } = this.app(app);
    const products = new Map(app.keys.flatMap((key) => [...key.products]));
    const apiProducts = [...products].map(([apiproduct, status]) => ({ apiproduct, status }));
    return { ...rest, ...(this.flavour === 'x' && { apiProducts }), ...(withKeys && { credentials }) };
  }

  /** @param isFresh in answer to its creation, which omits a missing expiry */
  key(key: KeyState, isFresh = false): Record<string, unknown> {
    const { consumerKey, consumerSecret, status, attributes, scopes, products, issuedAt, expiresAt } = key;
    return {
      ...{ consumerKey, consumerSecret, status, attributes, scopes },
      apiProducts: [...products].map(([apiproduct, state]) => ({ apiproduct, status: state })),
      issuedAt: this.int64(issuedAt),
      ...((expiresAt !== -1 || !isFresh) && { expiresAt: this.int64(expiresAt) }),
    };
  }

  product({ name, displayName, description, approvalType, attributes }: FakeApigeeProduct): Record<string, unknown> {
    return {
      ...{ name, displayName: displayName ?? name, description: description ?? '' },
      approvalType: approvalType ?? 'auto',
      attributes: attributes ?? [{ name: 'access', value: 'public' }],
      ...{ environments: ['test'], proxies: [], apiResources: [], scopes: [] },
      ...{ createdAt: this.int64(0), lastModifiedAt: this.int64(0) },
    };
  }

  org(options: { cps: boolean; productsRequired: boolean }): Record<string, unknown> {
    const flag = (name: string, isOn: boolean) => ({ name: `features.${name}`, value: String(isOn) });
    const property = [
      flag('keymanagement.disable.unbounded.permissions', options.productsRequired),
      flag('isMonetizationEnabled', false),
      ...(this.flavour === 'edge' ? [flag('isCpsEnabled', options.cps)] : [flag('hybrid.enabled', false)]),
    ];
    const common = { name: this.organization, displayName: this.organization, environments: ['test'] };
    const times = { createdAt: this.int64(0), lastModifiedAt: this.int64(0) };
    if (this.flavour === 'edge') return { ...common, type: 'paid', properties: { property }, ...times };
    const cloud = { runtimeType: 'CLOUD', projectId: this.organization, state: 'ACTIVE', subscriptionType: 'PAID' };
    return { ...common, ...cloud, properties: { property }, ...times };
  }

  /** A list of whole records, or just of their names. */
  list<T>(items: readonly T[], shape: ListShape<T>, expand: boolean): unknown {
    if (expand) return { [shape.property]: items.map(shape.record) };
    if (this.flavour === 'edge') return items.map((item) => shape.name(item));
    // X omits the property of an empty list.
    return items.length === 0 ? {} : { [shape.property]: items.map(shape.stub) };
  }

  private times({ createdAt, lastModifiedAt }: { createdAt: number; lastModifiedAt: number }) {
    return { createdAt: this.int64(createdAt), lastModifiedAt: this.int64(lastModifiedAt) };
  }

  private int64(value: number): string | number {
    return this.flavour === 'x' ? String(value) : value;
  }
}

export interface ListShape<T> {
  readonly property: 'developer' | 'app' | 'apiProduct' | 'appGroupApps';
  readonly record: (item: T) => unknown;
  /** X, without `expand`. */
  readonly stub: (item: T) => unknown;
  /** Edge, without `expand`. */
  readonly name: (item: T) => string;
}
