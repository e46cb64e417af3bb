import type { Changes, EventActivity, EventSubject, PortalEvent } from '../../core/index.js';
import { splitName } from '../../core/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** Record names of the portal that a host's event name may start with. */
const RECORDS = [
  ...['user', 'admin', 'app', 'credential', 'product', 'category', 'audience'],
  ...['menu_item', 'menu', 'setting', 'role', 'permission'],
];
const LABELS = ['slug', 'key', 'name', 'label'];

/**
 * Maps a host event that declares no audit mapping: `AcmeInvoicePaidEvent` becomes `acme_invoice.paid`, about
 * `acmeInvoiceId` or the record in `acmeInvoice`. Returns nothing for names that say too little, and for intentions
 * (`UserDeletingEvent`), whose outcome has its own event.
 */
export function activityFromName(event: PortalEvent): EventActivity<PortalEvent> {
  const className = event.constructor.name;
  const name = splitName(className.replace(/Event$/, '')).join('_');
  const own = RECORDS.find((record) => name.startsWith(`${record}_`));
  const type = own ?? name.slice(0, Math.max(0, name.lastIndexOf('_')));
  if (type === '' || /ingEvent$/.test(className)) return {};
  const happened = name.slice(type.length + 1);
  const fields = event as unknown as Fields;
  const record = recordIn(fields, type);
  const subject = subjectOf(
    fields,
    type,
    own === undefined ? null : labelOf(type === 'credential' ? fields.app : record),
  );
  return {
    action: `${type}.${happened}`,
    subject: () => subject,
    owner: () => ownerOf(fields, subject),
    changes: () => changesOf(fields, happened),
    isSecret: () => record?.type === 'secret' || record?.secret === true,
  };
}

/** @param label only for our own records: a host's label may be personal data, and the log is permanent */
function subjectOf(fields: Fields, type: string, label: string | null): EventSubject | null {
  const id = recordIn(fields, type)?.id ?? fields[`${camelCase(type)}Id`];
  if (typeof id !== 'number' && typeof id !== 'string') return null;
  return { type, id, label: type === 'user' || type === 'admin' ? null : label };
}

function labelOf(record: unknown): string | null {
  if (!isObject(record)) return null;
  return LABELS.map((field) => record[field]).find((value) => typeof value === 'string') ?? null;
}

function ownerOf({ app }: Fields, subject: EventSubject | null): number | null {
  if (subject?.type === 'user') return Number(subject.id);
  return isObject(app) && typeof app.userId === 'number' ? app.userId : null;
}

function changesOf({ changes, before, after }: Fields, happened: string): Changes | null {
  if (isObject(changes)) return changes as Changes;
  if (before === undefined && after === undefined) return null;
  return { [happened.replace(/_[a-z]+$/, '')]: [before ?? null, after ?? null] };
}

// `menu_item` is in the field menuItem, or in item.
function recordIn(fields: Fields, type: string): Fields | null {
  const names = [camelCase(type), type.slice(type.lastIndexOf('_') + 1)];
  return names.map((name) => fields[name]).find(isObject) ?? null;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
