import {
  type FoundApp,
  type FoundDeveloper,
  type FoundKey,
  type FoundTeam,
  GatewayRefusedError,
  type GatewayStatus,
  type KeyProduct,
} from '../../gateway/index.js';
import { type ApigeeAttribute, readAttribute, type ApigeeMarks } from './marks.js';
import { isAppGroup } from './place.js';

/** The fields of Apigee's records that the driver reads, the same for X and Edge. */
export interface DeveloperRecord {
  readonly developerId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly userName: string;
  readonly status: string;
  readonly attributes: readonly ApigeeAttribute[];
}

/** An app group of X, or a company of Edge. */
export interface GroupRecord {
  readonly name: string;
  readonly displayName: string;
  readonly status: string;
  readonly attributes: readonly ApigeeAttribute[];
}

export interface KeyRecord {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly status: string;
  readonly attributes: readonly ApigeeAttribute[];
  readonly scopes: readonly string[];
  /** undefined if the answer omits them. */
  readonly products: readonly KeyProduct[] | undefined;
  readonly issuedAt: Date | null;
  /** null: never. Apigee omits the field then, or sends -1. */
  readonly expiresAt: Date | null;
}

export interface ApigeeAppRecord {
  readonly appId: string;
  readonly name: string;
  readonly status: string;
  readonly callbackUrl: string | null;
  readonly attributes: readonly ApigeeAttribute[];
  readonly scopes: readonly string[];
  readonly createdAt: Date | null;
  readonly keys: readonly KeyRecord[];
}

type Body = Readonly<Record<string, unknown>>;

export function developerOf(value: unknown): DeveloperRecord {
  const body = object(value, 'a developer');
  return {
    developerId: requireField(body, 'developerId'),
    email: requireField(body, 'email'),
    firstName: text(body.firstName),
    lastName: text(body.lastName),
    userName: text(body.userName),
    status: text(body.status),
    attributes: attributesOf(body.attributes),
  };
}

export function groupOf(value: unknown): GroupRecord {
  const body = object(value, 'a group');
  const displayName = text(body.displayName);
  const [name, status] = [requireField(body, 'name'), text(body.status)];
  return { name, displayName, status, attributes: attributesOf(body.attributes) };
}

type Members = FoundTeam['members'];

/** The people of a company, as Edge lists them. */
export function companyMembers(value: unknown): Members {
  return itemsOf(value, 'developer').flatMap((item) => {
    const { email, role } = object(item, 'a member');
    return text(email) === '' ? [] : [{ email: text(email), isAdmin: text(role) === ADMIN }];
  });
}

/** The people of an app group, which X itself does not know: portals keep them in an attribute. */
export function groupMembers(record: Pick<GroupRecord, 'attributes'>): Members {
  return list(parseOrEmpty(readAttribute(record, MEMBERS))).flatMap((item) => {
    const { developer, roles } = (item ?? {}) as Body;
    return text(developer) === '' ? [] : [{ email: text(developer), isAdmin: list(roles).includes(ADMIN) }];
  });
}

/** Name of the attribute. */
export const MEMBERS = '__apigee_reserved__developer_details';
const ADMIN = 'admin';
/** What Apigee takes as the value of an attribute. */
const MOST_CHARACTERS = 2_000;

/** The value of the attribute: as many people as fit, the first ones first. Empty for nobody. */
export function membersText(members: Members): string {
  const items = members.map(({ email, isAdmin }) => ({ developer: email, roles: [isAdmin ? ADMIN : 'member'] }));
  while (items.length > 0 && JSON.stringify(items).length > MOST_CHARACTERS) items.pop();
  return items.length === 0 ? '' : JSON.stringify(items);
}

// Anybody may have written it.
function parseOrEmpty(json: string | null): unknown {
  try {
    return JSON.parse(json ?? '[]');
  } catch {
    return [];
  }
}

/** The body that puts products on a key and replaces its attributes. Keys of app groups take attributes in a record of their own. */
export function keyChange(
  ownerId: string,
  attributes: readonly ApigeeAttribute[],
  apiProducts?: readonly string[],
): Body {
  const products = apiProducts === undefined ? {} : { apiProducts };
  return { ...products, ...(isAppGroup(ownerId) ? { appGroupAppKey: { attributes } } : { attributes }) };
}

export function appOf(value: unknown): ApigeeAppRecord {
  const body = object(value, 'an app');
  return {
    appId: requireField(body, 'appId'),
    name: requireField(body, 'name'),
    status: text(body.status),
    callbackUrl: text(body.callbackUrl) === '' ? null : text(body.callbackUrl),
    attributes: attributesOf(body.attributes),
    scopes: list(body.scopes).map(text),
    createdAt: instant(body.createdAt),
    keys: list(body.credentials).map(keyOf),
  };
}

export function keyOf(value: unknown): KeyRecord {
  const body = object(value, 'a key');
  return {
    consumerKey: requireField(body, 'consumerKey'),
    consumerSecret: text(body.consumerSecret),
    status: text(body.status),
    attributes: attributesOf(body.attributes),
    scopes: list(body.scopes).map(text),
    products: body.apiProducts === undefined ? undefined : list(body.apiProducts).map(grantOf),
    issuedAt: instant(body.issuedAt),
    expiresAt: instant(body.expiresAt),
  };
}

// Apigee takes names and returns records; some answers echo the names.
function grantOf(value: unknown): KeyProduct {
  if (typeof value === 'string') return { product: value, status: 'approved' };
  const body = object(value, 'a product of a key');
  return { product: requireField(body, 'apiproduct'), status: statusOf(text(body.status)) };
}

/** The records of a list; X omits the property if it is empty. */
export function itemsOf(value: unknown, property: string): readonly unknown[] {
  return Array.isArray(value) ? value : list(object(value ?? {}, 'a list')[property]);
}

/** null on the last page. */
export function nextTokenOf(value: unknown): string | null {
  const token = text(object(value ?? {}, 'a list').nextPageToken);
  return token === '' ? null : token;
}

export function toFoundDeveloper(record: DeveloperRecord, marks: ApigeeMarks): FoundDeveloper {
  const { developerId: gatewayId, email, firstName, lastName, status } = record;
  const portalId = marks.accountOf(record);
  return { gatewayId, portalId, email, firstName, lastName, status: status === 'inactive' ? 'inactive' : 'active' };
}

export function toFoundTeam(gatewayId: string, record: GroupRecord, members: Members, marks: ApigeeMarks): FoundTeam {
  const { name, displayName, status } = record;
  const portalId = marks.accountOf(record);
  return {
    ...{ gatewayId, portalId, name: displayName === '' ? name : displayName, members },
    status: status === 'inactive' ? 'inactive' : 'active',
  };
}

/** @param plansOf reads the plans of the products of a key from the attributes of its app */
export function toFoundApp(
  record: ApigeeAppRecord,
  marks: ApigeeMarks,
  plansOf: (attributes: readonly ApigeeAttribute[], key: string) => ReadonlyMap<string, string>,
): FoundApp {
  const { appId, name, callbackUrl, createdAt, keys } = record;
  return {
    ...{ appId, name, callbackUrl, createdAt },
    portalId: marks.idWithinOurs(record),
    displayName: readAttribute(record, DISPLAY_NAME) ?? name,
    description: readAttribute(record, NOTES) ?? '',
    status: statusOf(record.status),
    keys: keys.map((key) => toFoundKey(key, marks, plansOf(record.attributes, key.consumerKey))),
  };
}

function toFoundKey(record: KeyRecord, marks: ApigeeMarks, plans: ReadonlyMap<string, string>): FoundKey {
  const { consumerKey, products = [], issuedAt, expiresAt } = record;
  const status = statusOf(record.status);
  return {
    keyRef: consumerKey,
    consumerKey,
    portalId: marks.idWithinOurs(record),
    status,
    products: products.map((granted) => ({ ...granted, plan: plans.get(granted.product) ?? null })),
    issuedAt,
    expiresAt,
  };
}

/** The attribute that Apigee's own pages show as an app's name. */
export const DISPLAY_NAME = 'DisplayName';
export const NOTES = 'Notes';

function statusOf(status: string): GatewayStatus {
  return status === 'approved' || status === 'pending' ? status : 'revoked';
}

function attributesOf(value: unknown): readonly ApigeeAttribute[] {
  return list(value).flatMap((item) => {
    const { name, value: content } = object(item, 'an attribute');
    return typeof name === 'string' ? [{ name, value: text(content) }] : [];
  });
}

// Milliseconds: a number from Edge, a string from X; -1 and 0 mean none.
function instant(value: unknown): Date | null {
  const milliseconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  return Number.isSafeInteger(milliseconds) && milliseconds > 0 ? new Date(milliseconds) : null;
}

function object(value: unknown, what: string): Body {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body;
  throw new GatewayRefusedError({ detail: `Apigee did not answer with ${what}` });
}

function requireField(body: Body, field: string): string {
  const value = text(body[field]);
  if (value !== '') return value;
  throw new GatewayRefusedError({ detail: `Apigee answered without ${field}` });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
