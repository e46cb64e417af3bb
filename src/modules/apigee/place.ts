import { GatewayRefusedError } from '../../gateway/index.js';

/** The address of a record below the organization. */
export interface ApigeePlace {
  /** URL path with every name encoded exactly once. */
  readonly path: string;
  /** The same for logs: without keys and e-mails. */
  readonly label: string;
}

/** Names allowed in paths (S56); excludes `.` and `..`, which URLs resolve. */
const APP = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;
const PRODUCT = /^[A-Za-z0-9][A-Za-z0-9 _.#$%-]{0,99}$/;
const KEY = /^[A-Za-z0-9_-]{1,2048}$/;
const DEVELOPER_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** The name of a team among the app groups of X or the companies of Edge, as {@link groupId} writes it. */
const GROUP = /^(appgroups|companies):([A-Za-z0-9][A-Za-z0-9_-]{0,99})$/;
const ENVIRONMENT = /^[a-z][a-z0-9-]{0,63}$/;
const EMAIL = /^[^@\s\p{C}/\\]{1,200}@[^@\s\p{C}/\\]{1,200}$/u;

export const places = {
  organization: { path: '', label: '' },
  developers: { path: '/developers', label: '/developers' },
  products: { path: '/apiproducts', label: '/apiproducts' },
  statistics: (environment: string): ApigeePlace =>
    fixPlace(
      placeBelow({ path: '/environments', label: '/environments' }, requireName(environment, ENVIRONMENT)),
      'stats/developer,developer_app,apiproduct,response_status_code',
    ),
  developer: (id: string): ApigeePlace => placeBelow(places.developers, requireName(id, DEVELOPER_ID)),
  developerOf: (email: string): ApigeePlace => placeBelow(places.developers, requireName(email, EMAIL), '{email}'),
  groups: (collection: GroupCollection): ApigeePlace => ({ path: `/${collection}`, label: `/${collection}` }),
  /** A developer, or a team. */
  owner: (id: string): ApigeePlace => {
    const [, collection, name] = GROUP.exec(id) ?? [];
    if (collection === undefined || name === undefined) return places.developer(id);
    return placeBelow(places.groups(collection as GroupCollection), name);
  },
  /** Who is in a company; app groups have no such list. */
  members: (id: string): ApigeePlace => fixPlace(places.owner(id), 'developers'),
  apps: (developerId: string): ApigeePlace => fixPlace(places.owner(developerId), 'apps'),
  app: (developerId: string, name: string): ApigeePlace => placeBelow(places.apps(developerId), requireName(name, APP)),
  newKey: (developerId: string, app: string): ApigeePlace =>
    fixPlace(places.app(developerId, app), isAppGroup(developerId) ? 'keys' : 'keys/create'),
  key: (developerId: string, app: string, key: string): ApigeePlace =>
    placeBelow(fixPlace(places.app(developerId, app), 'keys'), requireName(key, KEY), '{key}'),
  keyProduct: (developerId: string, app: string, key: string, product: string): ApigeePlace =>
    placeBelow(fixPlace(places.key(developerId, app, key), 'apiproducts'), requireName(product, PRODUCT)),
};

/** Where teams are: X has app groups, Edge has companies. */
export type GroupCollection = 'appgroups' | 'companies';

/** The id by which a team is known from then on, in place of a developer's. */
export function groupId(collection: GroupCollection, name: string): string {
  return `${collection}:${name}`;
}

/** The name of a team at Apigee; empty for a developer's id. */
export function groupName(ownerId: string): string {
  return GROUP.exec(ownerId)?.[2] ?? '';
}

export function isGroup(ownerId: string): boolean {
  return GROUP.test(ownerId);
}

/** App groups take some changes in another form than developers and companies. */
export function isAppGroup(ownerId: string): boolean {
  return isGroup(ownerId) && ownerId.startsWith('appgroups:');
}

/** @throws GatewayRefusedError for a name that Apigee would reject */
export function requireProductName(name: string): string {
  return requireName(name, PRODUCT);
}

function requireName(name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  throw new GatewayRefusedError({
    detail: `not a name that may stand in an address of Apigee: ${JSON.stringify(name)}`,
  });
}

export function fixPlace({ path, label }: ApigeePlace, segment: string): ApigeePlace {
  return { path: `${path}/${segment}`, label: `${label}/${segment}` };
}

function placeBelow({ path, label }: ApigeePlace, name: string, shown = name): ApigeePlace {
  return { path: `${path}/${encodeURIComponent(name)}`, label: `${label}/${shown}` };
}
