import {
  cleanChanges,
  listDeclaredActions,
  MASK,
  type EventActivity,
  type EventFacts,
  type PortalEvent,
  type Changes,
} from '../../core/index.js';

/** Types that a developer is told of their own apps. */
const OF_APPS = /^(app|credential)\./;

/** Types that developers are told of products that they use or watch. */
const OF_PRODUCTS: readonly string[] = [
  'product.change_published',
  'product.deprecation_announced',
  'product.deprecation_updated',
  'product.sunset_reached',
  'product.deprecation_retired',
];

/** Whether developers can be told of events of this type. */
export function isForDevelopers(type: string): boolean {
  return OF_APPS.test(type) || OF_PRODUCTS.includes(type);
}

/** A product of which a developer is told. */
export interface FollowedProduct {
  readonly userId: number;
  readonly productId: number;
  /** Of which kinds of changes; null: of all, as the developer has a key for it. */
  readonly kinds: readonly string[] | null;
}

/** The product that developers are told of by an event; null for one that concerns their apps or nobody. */
export function publicProductOf({ type, data: { subject, facts } }: WebhookBody): number | null {
  // Of drafts, admins alone may know.
  if (!OF_PRODUCTS.includes(type) || facts.state === 'draft' || subject?.id == null) return null;
  return Number(subject.id);
}

/** Whether one of the products that a developer follows is meant. */
export function isFollowed(body: WebhookBody, followed: readonly FollowedProduct[]): boolean {
  const product = publicProductOf(body);
  const kind = body.type === 'product.change_published' ? String(body.data.facts.kind) : 'deprecation';
  return followed.some(({ productId, kinds }) => productId === product && (kinds === null || kinds.includes(kind)));
}

/**
 * The types of events that endpoints can be told of, from the declared classes, in alphabetical order.
 * @param whose endpoints: those of developers are told of apps alone
 */
export function webhookTypes(whose: 'developers' | 'operators'): string[] {
  const types = [...listDeclaredActions()].sort();
  return whose === 'operators' ? types : types.filter(isForDevelopers);
}

/** What a message says: ids and names of fields, no values of them. */
export interface WebhookBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly subject: { readonly type: string; readonly id: string | null; readonly label?: string | null } | null;
    /** Id of the developer whose record it is. */
    readonly owner_id: number | null;
    /** Names of the fields that changed. */
    readonly changed: readonly string[];
    /** What the event declares besides, such as the percent of a quota. */
    readonly facts: EventFacts;
    /** Where the REST API shows its developer the app, or whoever sees it the product; null where nothing does. */
    readonly url: string | null;
    /** Values of fields that the endpoint chose. */
    readonly changes?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  };
}

/** What an event is about, of all that may belong to audiences: `product:7`, `user:3`. A team is the account that owns its apps. */
export function thingsOf({ data: { subject, owner_id: ownerId } }: WebhookBody): string[] {
  const about = subject === null || subject.id === null ? [] : [`${subject.type}:${subject.id}`];
  return ownerId === null ? about : [...about, `user:${ownerId}`];
}

/** What an endpoint may choose to be told besides. */
export interface WebhookDetails {
  readonly label: string | null;
  /** Without anything that is secret by its name. */
  readonly changes: NonNullable<WebhookBody['data']['changes']>;
}

/** What an event tells; null for one that the activity log does not record either, or that no class declares. */
export function tellEvent(event: PortalEvent, api: string): WebhookBody | null {
  const { activity } = event.constructor as unknown as { activity?: EventActivity<PortalEvent> | null };
  const { action } = activity ?? {};
  if (!activity || action === undefined || activity.isRecorded?.(event) === false) return null;
  const type = typeof action === 'string' ? action : action(event as never);
  const subject = activity.subject?.(event) ?? null;
  const changes = activity.changes ? activity.changes(event) : (event as { changes?: object | null }).changes;
  const id = subject?.id ?? null;
  return {
    type,
    timestamp: event.occurredAt.toISOString(),
    data: {
      subject: subject && { type: subject.type, id: id === null ? null : String(id) },
      owner_id: activity.owner?.(event) ?? null,
      changed: Object.keys(changes ?? {}).slice(0, MOST_FIELDS),
      facts: activity.facts?.(event) ?? {},
      url: addressOf(event, api),
    },
  };
}

const MOST_FIELDS = 50;

/**
 * What endpoints may choose to be told of an event besides: null for events about people, whose data would outlive their
 * account in the queue.
 */
export function detailEvent(event: PortalEvent): WebhookDetails | null {
  const { activity } = event.constructor as unknown as { activity?: EventActivity<PortalEvent> | null };
  const subject = activity?.subject?.(event) ?? null;
  if (!activity || (subject && ABOUT_PEOPLE.includes(subject.type))) return null;
  const found = activity.changes ? activity.changes(event) : (event as { changes?: Changes | null }).changes;
  const clean = (found && cleanChanges(found, activity.isSecret?.(event))) ?? {};
  const told = Object.entries(clean).filter(([, [from, to]]) => from !== MASK && to !== MASK);
  return {
    label: subject?.label ?? null,
    changes: Object.fromEntries(told.slice(0, MOST_FIELDS).map(([name, [from, to]]) => [name, { from, to }])),
  };
}

const ABOUT_PEOPLE: readonly string[] = ['user', 'admin'];

/** Names of what endpoints may choose. */
export const WEBHOOK_FIELD = /^(label|changes|changes\.[a-z][a-z0-9_]{0,63})$/;

/** The body with the chosen fields. */
export function addFields(body: WebhookBody, details: WebhookDetails | null, fields: readonly string[]): WebhookBody {
  if (!details || fields.length === 0) return body;
  const { subject } = body.data;
  const isTold = (name: string) => fields.includes('changes') || fields.includes(`changes.${name}`);
  const told = Object.entries(details.changes).filter(([name]) => isTold(name));
  return {
    ...body,
    data: {
      ...body.data,
      subject: subject && fields.includes('label') ? { ...subject, label: details.label } : subject,
      ...(fields.some((name) => name.startsWith('changes')) && { changes: Object.fromEntries(told) }),
    },
  };
}

/** What an example tells besides. */
export const EXAMPLE_DETAILS: WebhookDetails = {
  label: 'example',
  changes: { status: { from: 'pending', to: 'approved' } },
};

/** An example of a type, for tests and the documentation. */
export function exampleOf(type: string): Omit<WebhookBody, 'timestamp'> {
  const [subject = ''] = type.split('.');
  return {
    type,
    data: {
      subject: { type: subject, id: '1' },
      ...{ owner_id: OF_APPS.test(type) ? 1 : null, changed: ['status'], facts: {}, url: null },
    },
  };
}

function addressOf(event: PortalEvent, api: string): string | null {
  const { app, product } = event as { app?: { name?: unknown }; product?: { slug?: unknown } };
  if (typeof app?.name === 'string') return `${api}/me/apps/${encodeURIComponent(app.name)}`;
  return typeof product?.slug === 'string' ? `${api}/api-products/${encodeURIComponent(product.slug)}` : null;
}
