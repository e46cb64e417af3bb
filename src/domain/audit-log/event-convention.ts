import type { PortalEvent } from '../../core/index.js';
import type { DraftSubject, AuditFacts } from './activity-draft.js';
import { cleanChanges, type ActivityChanges } from './redaction.js';
import type { readEventName } from './event-names.js';

type Fields = Readonly<Record<string, unknown>>;
type Name = NonNullable<ReturnType<typeof readEventName>>;

/** Of a record: its identity (the key of a setting) and times say nothing that the activity does not say anyway. */
const SELF_EVIDENT = new Set(['id', 'key', 'createdAt', 'updatedAt']);
const LABELS = ['slug', 'key', 'name', 'label'] as const;

/**
 * What an event says that keeps to the convention: `{Thing}{Happened}Event` with the record in the field `thing` (or its
 * number in `thingId`), and either `changes`, or `before` and `after`. A creation and a deletion tell the whole record.
 */
export function conventionalFacts(event: PortalEvent, name: Name): Omit<AuditFacts, 'action'> {
  const fields = event as unknown as Fields;
  const record = recordOf(fields, name.thing);
  const subject = subjectOf(fields, name, record);
  const isSecret = record?.type === 'secret' || record?.secret === true;
  const changes = conventionalChanges(event, name.happened) ?? wholeRecord(name, record);
  return { subject, ownerId: ownerOf(fields, subject), changes: changes && cleanChanges(changes, isSecret) };
}

/** @param happened `status_changed` names the field of events that tell `before` and `after` */
export function conventionalChanges(event: PortalEvent, happened: string): ActivityChanges | null {
  const { changes, before, after } = event as unknown as Fields;
  if (isObject(changes)) return changes as ActivityChanges;
  if (before === undefined && after === undefined) return null;
  return { [happened.replace(/_[a-z]+$/, '')]: [before ?? null, after ?? null] };
}

function wholeRecord({ happened, subject }: Name, record: Fields | null): ActivityChanges | null {
  if (subject === null || record === null) return null;
  const values = Object.entries(record).filter(([field, value]) => !SELF_EVIDENT.has(field) && !isEmpty(value));
  if (happened === 'created')
    return Object.fromEntries(values.map(([field, value]) => [field, [null, value] as const]));
  if (happened === 'deleted')
    return Object.fromEntries(values.map(([field, value]) => [field, [value, null] as const]));
  return null;
}

function subjectOf(fields: Fields, { thing, subject }: Name, record: Fields | null): DraftSubject | null {
  const id = record?.id ?? fields[`${camelCase(thing)}Id`];
  if (typeof id !== 'number' && typeof id !== 'string') return null;
  // The words of a host's record may be about a person, and the log is for good.
  return { type: thing, id: String(id), label: subject === null ? null : labelOf(fields, record, thing) };
}

function labelOf(fields: Fields, record: Fields | null, thing: string): string | null {
  // Looked up when it is written, if the account is still there.
  if (thing === 'user' || thing === 'admin') return null;
  const named = thing === 'credential' ? recordOf(fields, 'app') : record;
  const label = LABELS.map((field) => named?.[field]).find((value) => typeof value === 'string');
  return label ?? null;
}

function ownerOf(fields: Fields, subject: DraftSubject | null): number | null {
  if (subject?.type === 'user') return Number(subject.id);
  const owner = recordOf(fields, 'app')?.userId;
  return typeof owner === 'number' ? owner : null;
}

// `menu_item` is in the field menuItem, or in item.
function recordOf(fields: Fields, thing: string): Fields | null {
  const names = [camelCase(thing), thing.split('_').at(-1) ?? thing];
  const found = names.map((name) => fields[name]).find(isObject);
  return found ?? null;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);
}
