import { declaredActions, type EventActivity, type EventFacts, type PortalEvent } from '../../core/index.js';

/** Types that a developer is told of their own apps. */
const OF_APPS = /^(app|credential)\./;

/** Whether developers can be told of events of this type. */
export function isForDevelopers(type: string): boolean {
  return OF_APPS.test(type);
}

/**
 * The types of events that endpoints can be told of, from the declared classes, in alphabetical order.
 * @param whose endpoints: those of developers are told of apps alone
 */
export function webhookTypes(whose: 'developers' | 'operators'): string[] {
  const types = [...declaredActions()].sort();
  return whose === 'operators' ? types : types.filter(isForDevelopers);
}

/** What a message says: ids and names of fields, no values of them. */
export interface WebhookBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly subject: { readonly type: string; readonly id: string | null } | null;
    /** Id of the developer whose record it is. */
    readonly owner_id: number | null;
    /** Names of the fields that changed. */
    readonly changed: readonly string[];
    /** What the event declares besides, such as the percent of a quota. */
    readonly facts: EventFacts;
    /** Where the REST API shows the subject's developer or app; null where nothing does. */
    readonly url: string | null;
  };
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

/** An example of a type, for tests and the documentation. */
export function exampleOf(type: string): Omit<WebhookBody, 'timestamp'> {
  const [subject = ''] = type.split('.');
  return {
    type,
    data: {
      subject: { type: subject, id: '1' },
      ...{ owner_id: isForDevelopers(type) ? 1 : null, changed: ['status'], facts: {}, url: null },
    },
  };
}

function addressOf(event: PortalEvent, api: string): string | null {
  const { app } = event as { app?: { name?: unknown } };
  return typeof app?.name === 'string' ? `${api}/me/apps/${encodeURIComponent(app.name)}` : null;
}
