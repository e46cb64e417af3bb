import type { Changes } from './changes.js';
import type { Logger } from './logger.js';

/** What an event is about, as the activity log names it. */
export interface EventSubject {
  /** `app`, `menu_item`. */
  readonly type: string;
  readonly id: string | number | null;
  /** What people call it. Nothing personal, because the log is for good: the names of accounts are looked up. */
  readonly label?: string | null;
  /** An address somebody typed, whose account is looked for. */
  readonly typedEmail?: string;
}

/** What the activity log writes of an event. Methods, so that a class may extend another that tells less. */
export interface EventActivity<E> {
  /** `{record}.{what happened}`. */
  readonly action?: string | ((event: never) => string);
  subject?(event: E): EventSubject | null;
  /** The id of the developer who may read it, as the owner of the subject. */
  owner?(event: E): number | null;
  /** Without it, the field `changes` of the event. Values whose name promises a secret are masked in any case. */
  changes?(event: E): Changes | null;
  /** Whether the field `value` of the changes is a secret. */
  isSecret?(event: E): boolean;
  /** Without it, always. */
  isRecorded?(event: E): boolean;
}

/** Base of all events: past-tense facts, carried as plain fields. Never holds a password, a token or a key. */
export abstract class PortalEvent {
  /** What the activity log writes of events of this class, and of those that extend it; null for nothing. */
  declare static readonly activity?: EventActivity<never> | null;

  constructor(readonly occurredAt: Date) {}
}

// The parameter list of an event class is its own business; the bus only needs to recognise instances.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type EventClass<E extends PortalEvent> = abstract new (...args: any[]) => E;

/** What the bus needs to know of a database transaction. */
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
 * Typed in-process events. `on` runs after commit and a handler that throws is logged and breaks nothing; `within` runs
 * inside the emitter's transaction and a handler that throws rolls it back. Handlers run one after another in the order
 * of their registration; a handler of a base class sees the derived events too.
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
