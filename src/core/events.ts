import type { Changes } from './changes.js';
import type { Logger } from './logger.js';

/** The subject of an event in the activity log. */
export interface EventSubject {
  /** Such as `app` or `menu_item`. */
  readonly type: string;
  readonly id: string | number | null;
  /** Display name. Must not be personal, as the log is permanent; names of accounts are looked up when it is read. */
  readonly label?: string | null;
  /** An address as typed, used to find the account. */
  readonly typedEmail?: string;
}

/** Small values that webhooks tell of an event: never personal, never a secret. */
export type EventFacts = Readonly<Record<string, string | number | boolean | null>>;

/** What the activity log records of an event. Methods, so that a derived class can record more than its base. */
export interface EventActivity<E> {
  /** `{record}.{past participle}`, such as `app.created`. */
  readonly action?: string | ((event: never) => string);
  subject?(event: E): EventSubject | null;
  /** Id of the developer who owns the subject and may therefore read the entry. */
  owner?(event: E): number | null;
  /** Default: the event's field `changes`. Values whose name suggests a secret are always masked. */
  changes?(event: E): Changes | null;
  /** Whether `value` in the changes is a secret. */
  isSecret?(event: E): boolean;
  /** Default: always. */
  isRecorded?(event: E): boolean;
  /** What webhooks tell besides the subject. Default: nothing. */
  facts?(event: E): EventFacts;
}

/** Base of all events: past-tense facts, carried as plain fields. Never holds a password, a token or a key. */
export abstract class PortalEvent {
  /** What the activity log records of this class and its subclasses; null: nothing. */
  declare static readonly activity?: EventActivity<never> | null;

  constructor(readonly occurredAt: Date) {}
}

// Constructors differ; the bus only needs `instanceof`.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type EventClass<E extends PortalEvent> = abstract new (...args: any[]) => E;

/** What the bus needs of a database transaction. */
export interface TransactionScope {
  afterCommit(run: () => void | Promise<void>): unknown;
}

type Listener<E> = (event: E) => void | Promise<void>;
type TransactionalListener<E, T> = (event: E, transaction: T) => void | Promise<void>;

interface Subscription {
  type: EventClass<PortalEvent>;
  run: (event: PortalEvent, transaction: TransactionScope | undefined) => void | Promise<void>;
}

/**
 * Typed in-process events. `on` handlers run after commit, and their errors are only logged; `within` handlers run inside
 * the emitter's transaction, and their errors roll it back. Handlers run one after another in the order of registration;
 * a handler of a base class also receives the derived events.
 */
export class EventBus<T extends TransactionScope = TransactionScope> {
  private readonly after: Subscription[] = [];
  private readonly inside: Subscription[] = [];

  constructor(private readonly logger: Logger) {}

  on<E extends PortalEvent>(type: EventClass<E>, listener: Listener<E>): void {
    this.after.push({ type, run: (event) => listener(event as E) });
  }

  within<E extends PortalEvent>(type: EventClass<E>, listener: TransactionalListener<E, T>): void {
    this.inside.push({ type, run: (event, transaction) => listener(event as E, transaction as T) });
  }

  /**
   * Announces a fact. With a transaction, `within` listeners run now and `on` listeners once it has committed; without
   * one, both run now.
   */
  async emit(event: PortalEvent, transaction?: T): Promise<void> {
    for (const { type, run } of this.inside) if (event instanceof type) await run(event, transaction);
    if (transaction) transaction.afterCommit(() => this.deliver(event));
    else await this.deliver(event);
  }

  private async deliver(event: PortalEvent): Promise<void> {
    for (const { type, run } of this.after) {
      if (!(event instanceof type)) continue;
      try {
        await run(event, undefined);
      } catch (error) {
        this.logger.error({ err: error, event: event.constructor.name }, 'an event listener failed');
      }
    }
  }
}
