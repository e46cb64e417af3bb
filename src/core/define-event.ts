import type { Changes } from './changes.js';
import { PortalEvent, type EventActivity } from './events.js';

/** Declares the type of an event's field, and the part of the given value that the event keeps. */
interface EventField<Kept, Given = Kept> {
  readonly keep?: (given: Given) => Kept;
}

// The given type is contravariant, hence `never`.
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

const actions = new Set<string>();

/** The names under which the declared events are recorded, those of loaded modules among them. */
export function listDeclaredActions(): ReadonlySet<string> {
  return actions;
}

/** @param keep selects the part of the value that the event keeps; all of it by default */
export const eventField = <Kept, Given = Kept>(keep?: (given: Given) => Kept): EventField<Kept, Given> =>
  keep ? { keep } : {};

/** Base class of events with these fields; everything else of the given fact is dropped. */
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
 * Declares an event of the portal.
 * @param base class with the common fields and subject
 * @param action name in the activity log; null for an event that is not recorded
 * @param more additional fields, and overrides of how the base is recorded
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
  if (typeof action === 'string') actions.add(action);
  class Defined extends Base {
    static override readonly activity = action === null ? null : { ...Base.activity, ...activity, action };

    constructor(fact: object) {
      super(fact);
      keepFields(this, fields, fact);
    }
  }
  return Defined;
}

/** For `more`: adds the field `changes`. */
export const withChanges = { fields: { changes: eventField<Changes>() } };

/** For `more`: the log records the whole created record. */
export const tellCreation = <K extends string>(field: K) => tellRecord(field, (value) => [null, value]);

/** For `more`: the log records the whole deleted record. */
export const tellDeletion = <K extends string>(field: K) => tellRecord(field, (value) => [value, null]);

/** Fields that the activity already shows: identity (the key of a setting) and timestamps. */
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
