import { AdminRequestRefusedEvent, AuthEvent, SessionOpeningEvent } from '../auth/index.js';
import type { Database, Transaction } from '../../database/index.js';
import { currentActorContext, PortalEvent, type ActingPerson, type Clock, type EventBus } from '../../core/index.js';
import type { ActivityChain } from './hash-chain.js';
import type { ActivityDraft } from './activity-draft.js';
import { cleanText } from '../../core/index.js';
import { factsOf } from './audit-mapping.js';
import type { RefusalBudget } from './refusal-budget.js';

interface RecorderParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly chain: Pick<ActivityChain, 'append' | 'introduce'>;
  readonly refusals: RefusalBudget;
}

/**
 * Records every event within its own transaction, so that the change and its record are committed together or not at
 * all. The rows are appended at the very end of the transaction.
 */
export class ActivityRecorder {
  private readonly collected = new WeakMap<Transaction, ActivityDraft[]>();

  constructor(private readonly parts: RecorderParts) {}

  listen(events: EventBus<Transaction>): void {
    // Events outside of a transaction pass undefined, whatever the bus's types say.
    events.within(PortalEvent, (event, transaction: Transaction | undefined) => this.record(event, transaction));
    // The session of an account locks it in the same transaction, so that nobody has to be asked whether it is still there.
    events.within(SessionOpeningEvent, ({ account }, transaction: Transaction | undefined) => {
      if (transaction) this.parts.chain.introduce(account, transaction);
      return Promise.resolve();
    });
  }

  private async record(event: PortalEvent, transaction: Transaction | undefined): Promise<void> {
    const draft = this.draftOf(event);
    if (draft === null) return;
    if (transaction) this.collect(draft, transaction);
    else await this.parts.database.transaction((own) => this.parts.chain.append([draft], own));
  }

  private collect(draft: ActivityDraft, transaction: Transaction): void {
    const drafts = this.collected.get(transaction);
    if (drafts) return void drafts.push(draft);
    this.collected.set(transaction, [draft]);
    this.parts.database.beforeCommit(transaction, async () => {
      const due = this.collected.get(transaction) ?? [];
      // Events that a later step emits are collected anew.
      this.collected.delete(transaction);
      await this.parts.chain.append(due, transaction);
    });
  }

  private draftOf(event: PortalEvent): ActivityDraft | null {
    const facts = factsOf(event);
    if (facts === null) return null;
    const refusal = event instanceof AdminRequestRefusedEvent ? this.parts.refusals.admit(event) : null;
    if (refusal?.isAdmitted === false) return null;
    const changes = refusal?.suppressed
      ? { ...facts.changes, suppressed: [0, refusal.suppressed] as const }
      : facts.changes;
    const { request } = currentActorContext();
    const source = event instanceof AuthEvent ? event : request;
    const { subject } = facts;
    return {
      action: facts.action.slice(0, 100),
      ownerId: facts.ownerId,
      changes,
      subject: subject && {
        ...subject,
        type: subject.type.slice(0, 50),
        id: cleanText(subject.id, 100),
        label: cleanText(subject.label, 255),
      },
      occurredAt: Number.isNaN(event.occurredAt.getTime()) ? this.parts.clock.now() : event.occurredAt,
      actor: cleanPerson(actorOf(event)),
      ip: cleanText(source?.ip, 45),
      userAgent: cleanText(source?.userAgent, 255),
      requestId: cleanText(source?.requestId, 64),
    };
  }
}

/** Actors that stand whatever the event says. */
const KNOWN: ReadonlySet<ActingPerson['type']> = new Set(['developer', 'admin', 'service', 'operator']);

/** The signed-in account; for sign-in events, their account once it has proved itself. */
function actorOf(event: PortalEvent): ActingPerson {
  const { person } = currentActorContext();
  if (KNOWN.has(person.type) || !(event instanceof AuthEvent)) return person;
  const { accountId: id, email, context } = event;
  if (id !== null) return { type: context === 'admin' ? 'admin' : 'developer', id, name: null, email };
  return { type: 'visitor', id: null, name: null, email: null };
}

function cleanPerson({ type, id, name, email }: ActingPerson): ActingPerson {
  return { type, id, name: cleanText(name, 200), email: cleanText(email, 254) };
}
