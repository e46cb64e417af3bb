import type { Changes } from './changes.js';
import { PortalEvent, type EventActivity } from './events.js';

/** A field of an event: its name at run time, its type for the compiler, and how much of what is given it keeps. */
interface EventField<Kept, Given = Kept> {
  readonly keep?: (given: Given) => Kept;
}

// Fields are contravariant in what they are given.
type EventFields = Readonly<Record<string, EventField<unknown, never>>>;
type ValuesOf<F extends EventFields> = {
  readonly [K in keyof F]: F[K] extends EventField<infer Kept, never> ? Kept : never;
};
type FactOf<F extends EventFields> = {
  readonly [K in keyof F]: F[K] extends { readonly keep?: (given: infer Given) => unknown } ? Given : never;
};

type EventBase<Fact, E extends PortalEvent> = abstract new (fact: Fact) => E;
type DefinedEvent<Fact, E extends PortalEvent> = (new (fact: Fact) => E) & {
  readonly activity: EventActivity<never> | null;
};

type Action<E> = string | ((event: E) => string) | null;

/** @param keep how much of the value the event keeps; without it, all */
export const eventField = <Kept, Given = Kept>(keep?: (given: Given) => Kept): EventField<Kept, Given> =>
  keep ? { keep } : {};

/** Base of events that carry these fields; of what they are created from, nothing else is kept. */
export function defineEventBase<F extends EventFields>(fields: F, about: EventActivity<ValuesOf<F>> = {}) {
  type Fact = FactOf<F> & { readonly occurredAt: Date };
  class Base extends PortalEvent {
    static override readonly activity = about;

    constructor(fact: Fact) {
      super(fact.occurredAt);
      keepFields(this, fields, fact);
    }
  }
  return Base as unknown as DefinedEvent<Fact, PortalEvent & ValuesOf<F>>;
}

/**
 * An event of the portal in one line.
 * @param base says what it is about
 * @param action as the activity log calls it; null for an event that is not recorded
 * @param more fields beyond those of the base, and what the log writes other than for the base
 */
export function defineEvent<Fact extends object, E extends PortalEvent, F extends EventFields>(
  base: EventBase<Fact, E>,
  action: Action<E & ValuesOf<F>>,
  more: { readonly fields: F } & EventActivity<NoInfer<E & ValuesOf<F>>>,
): DefinedEvent<Fact & FactOf<F>, E & ValuesOf<F>>;
export function defineEvent<Fact extends object, E extends PortalEvent>(
  base: EventBase<Fact, E>,
  action: Action<E>,
  more?: EventActivity<NoInfer<E>>,
): DefinedEvent<Fact, E>;
export function defineEvent(
  base: EventBase<never, PortalEvent>,
  action: Action<never>,
  { fields = {}, ...activity }: { readonly fields?: EventFields } & EventActivity<never> = {},
): DefinedEvent<object, PortalEvent> {
  const Base = base as unknown as (new (fact: object) => PortalEvent) & typeof PortalEvent;
  class Defined extends Base {
    static override readonly activity = action === null ? null : { ...Base.activity, ...activity, action };

    constructor(fact: object) {
      super(fact);
      keepFields(this, fields, fact);
    }
  }
  return Defined;
}

/** For `more`: the event says what changed. */
export const withChanges = { fields: { changes: eventField<Changes>() } };

/** For `more`: the log writes the whole record that came to be. */
export const tellCreation = <K extends string>(field: K) => tellRecord(field, (value) => [null, value]);

/** For `more`: the log writes the whole record that went. */
export const tellDeletion = <K extends string>(field: K) => tellRecord(field, (value) => [value, null]);

/** Of a record: its identity (the key of a setting) and times say nothing that the activity does not say anyway. */
const SELF_EVIDENT = new Set(['id', 'key', 'createdAt', 'updatedAt']);

function tellRecord<K extends string>(field: K, change: (value: unknown) => Changes[string]) {
  const changes = (event: Readonly<Record<K, object>>): Changes => {
    const values = Object.entries(event[field]).filter(([name, value]) => !SELF_EVIDENT.has(name) && !isEmpty(value));
    return Object.fromEntries(values.map(([name, value]) => [name, change(value)]));
  };
  return { changes };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
}

function keepFields(event: object, fields: EventFields, fact: object): void {
  for (const [name, { keep }] of Object.entries(fields)) {
    const given = (fact as Record<string, never>)[name] as never;
    Object.assign(event, { [name]: keep ? keep(given) : given });
  }
}
