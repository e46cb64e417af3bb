/**
 * Fields of the records that the portal reads and writes, as the public Go client of the Apigee API publishes them
 * (google.golang.org/api 0.61, BSD-3-Clause). `int64` is a string on the wire of X and a number on that of Edge; the
 * products of a key (`apiProducts`) are missing there and documented since.
 */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Attribute: { name: 'string', value: 'string' },
  Attributes: { attribute: '[]Attribute' },
  ApiProductRef: { apiproduct: 'string', status: 'string' },
  ApiProduct: {
    apiResources: '[]string',
    approvalType: 'string',
    attributes: '[]Attribute',
    createdAt: 'int64',
    description: 'string',
    displayName: 'string',
    environments: '[]string',
    lastModifiedAt: 'int64',
    name: 'string',
    proxies: '[]string',
    quota: 'string',
    quotaInterval: 'string',
    quotaTimeUnit: 'string',
    scopes: '[]string',
  },
  App: {
    apiProducts: '[]ApiProductRef',
    appId: 'string',
    attributes: '[]Attribute',
    callbackUrl: 'string',
    companyName: 'string',
    createdAt: 'int64',
    credentials: '[]Credential',
    developerId: 'string',
    keyExpiresIn: 'int64',
    lastModifiedAt: 'int64',
    name: 'string',
    scopes: '[]string',
    status: 'string',
  },
  Credential: {
    apiProducts: '[]ApiProductRef',
    attributes: '[]Attribute',
    consumerKey: 'string',
    consumerSecret: 'string',
    expiresAt: 'int64',
    issuedAt: 'int64',
    scopes: '[]string',
    status: 'string',
  },
  Developer: {
    accessType: 'string',
    appFamily: 'string',
    apps: '[]string',
    attributes: '[]Attribute',
    companies: '[]string',
    createdAt: 'int64',
    developerId: 'string',
    email: 'string',
    firstName: 'string',
    lastModifiedAt: 'int64',
    lastName: 'string',
    organizationName: 'string',
    status: 'string',
    userName: 'string',
  },
  DeveloperApp: {
    apiProducts: '[]string',
    appFamily: 'string',
    appId: 'string',
    attributes: '[]Attribute',
    callbackUrl: 'string',
    createdAt: 'int64',
    credentials: '[]Credential',
    developerId: 'string',
    keyExpiresIn: 'int64',
    lastModifiedAt: 'int64',
    name: 'string',
    scopes: '[]string',
    status: 'string',
  },
  DeveloperAppKey: {
    apiProducts: '[]ApiProductRef',
    attributes: '[]Attribute',
    consumerKey: 'string',
    consumerSecret: 'string',
    expiresAt: 'int64',
    expiresInSeconds: 'int64',
    issuedAt: 'int64',
    scopes: '[]string',
    status: 'string',
  },
  /** What the portal sends about products of a key: names. */
  DeveloperAppKeyInput: {
    apiProducts: '[]string',
    attributes: '[]Attribute',
    consumerKey: 'string',
    consumerSecret: 'string',
    expiresInSeconds: 'int64',
    scopes: '[]string',
  },
  Organization: {
    analyticsRegion: 'string',
    createdAt: 'int64',
    displayName: 'string',
    environments: '[]string',
    lastModifiedAt: 'int64',
    name: 'string',
    projectId: 'string',
    properties: 'Properties',
    runtimeType: 'string',
    state: 'string',
    subscriptionType: 'string',
    type: 'string',
  },
  Properties: { property: '[]Property' },
  Property: { name: 'string', value: 'string' },
  ListApiProductsResponse: { apiProduct: '[]ApiProduct' },
  ListAppsResponse: { app: '[]App' },
  ListDeveloperAppsResponse: { app: '[]DeveloperApp' },
  ListOfDevelopersResponse: { developer: '[]Developer' },
  Empty: {},
};

/** Fields that only Edge has. */
const EDGE_ONLY = new Set(['createdBy', 'lastModifiedBy']);

/** Where a value does not have the published shape; none: it has. */
export function misfits(value: unknown, shape: string, flavour: 'x' | 'edge', path = ''): string[] {
  if (shape.startsWith('[]')) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, index) => misfits(item, shape.slice(2), flavour, `${path}[${index}]`));
  }
  if (shape === 'string') return typeof value === 'string' ? [] : [`${path} is no string`];
  if (shape === 'int64') {
    const isRight = flavour === 'x' ? typeof value === 'string' && /^-?\d+$/.test(value) : Number.isInteger(value);
    return isRight ? [] : [`${path} is no 64-bit number of ${flavour}: ${JSON.stringify(value)}`];
  }
  const fields = SHAPES[shape];
  if (fields === undefined) return [`${path}: there is no shape ${shape}`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no ${shape}`];
  return Object.entries(value).flatMap(([name, field]) => {
    if (flavour === 'edge' && EDGE_ONLY.has(name)) return [];
    const expected = fields[name];
    if (expected === undefined) return [`${path}.${name} is no field of ${shape}`];
    return misfits(field, expected, flavour, `${path}.${name}`);
  });
}
