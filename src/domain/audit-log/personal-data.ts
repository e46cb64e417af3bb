import { adminRecord, normaliseEmail, fullName, UserDeletedEvent, userRecord } from '../accounts/index.js';
import type { AuthAccount } from '../auth/index.js';
import type { Database, Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';
import type { ActivityDraft } from './activity-draft.js';
import { erasePersonal, findActivitiesOf } from './activity-queries.js';
import { cleanText } from '../../core/index.js';

interface Person {
  readonly name: string | null;
  readonly email: string;
}

/** The personal data of an activity, stored next to the chain. */
export interface PersonalParts {
  readonly actor: readonly [name: string | null, email: string | null, ip: string | null, userAgent: string | null];
  readonly subject: readonly [label: string | null, changes: unknown];
  /** Looked up for an address that somebody typed. */
  readonly subjectId: string | null;
}

const NOBODY = [null, null, null, null] as const;

/**
 * Resolves people at the time of writing. A developer who is gone, or is removed by this transaction, leaves no
 * personal data in new entries.
 */
export class PersonalData {
  private readonly introduced = new WeakMap<Transaction, AuthAccount>();

  constructor(private readonly database: Database) {}

  /** Saves looking up an account that the transaction has read, and locks before its end. */
  introduce(account: AuthAccount, transaction: Transaction): void {
    this.introduced.set(transaction, account);
  }

  /** @returns the parts of each draft, in the same order */
  async partsOf(drafts: readonly ActivityDraft[], transaction: Transaction): Promise<PersonalParts[]> {
    const typed = await this.idsOf(drafts, transaction);
    const subjectIds = drafts.map(({ subject }) => subject?.id ?? typed.get(subject) ?? null);
    const users = new Set<number>();
    const admins = new Set<number>();
    drafts.forEach(({ actor, subject, ownerId }, index) => {
      if (actor.id !== null && actor.type !== 'service') (actor.type === 'developer' ? users : admins).add(actor.id);
      if (ownerId !== null) users.add(ownerId);
      const id = Number(subjectIds[index] ?? NaN);
      if (Number.isSafeInteger(id) && subject?.type === 'user') users.add(id);
      if (Number.isSafeInteger(id) && subject?.type === 'admin') admins.add(id);
    });
    const here = this.introduced.get(transaction);
    if (here) (here.context === 'admin' ? admins : users).delete(here.id);
    const known = { developer: await this.users(users, transaction), admin: await this.admins(admins, transaction) };
    if (here) known[here.context === 'admin' ? 'admin' : 'developer'].set(here.id, describePerson(here));
    return drafts.map((draft, index) => parts(draft, subjectIds[index] ?? null, known));
  }

  private async idsOf(drafts: readonly ActivityDraft[], transaction: Transaction) {
    const ids = new Map<ActivityDraft['subject'], string>();
    for (const { subject } of drafts) {
      const email = subject?.typedEmail === undefined ? null : normaliseEmail(subject.typedEmail);
      if (subject === null || email === null) continue;
      const options = { only: ['id'], transaction } as const;
      const row = await (subject.type === 'admin'
        ? adminRecord.find(this.database, { email }, options)
        : userRecord.find(this.database, { email }, options));
      if (row) ids.set(subject, String(row.id));
    }
    return ids;
  }

  private async users(ids: ReadonlySet<number>, transaction: Transaction): Promise<Map<number, Person>> {
    const only = ['id', 'email', 'firstName', 'lastName'] as const;
    const rows = await userRecord.findAll(this.database, { id: [...ids] }, { only, transaction });
    return new Map(rows.map(({ id, email, ...names }) => [id, { email, name: cleanText(fullName(names), 200) }]));
  }

  private async admins(ids: ReadonlySet<number>, transaction: Transaction): Promise<Map<number, Person>> {
    const only = ['id', 'email', 'name'] as const;
    const rows = await adminRecord.findAll(this.database, { id: [...ids] }, { only, transaction });
    return new Map(rows.map(({ id, email, name }) => [id, { email, name: cleanText(name, 200) }]));
  }
}

function describePerson(account: AuthAccount): Person {
  const name = account.context === 'admin' ? account.admin.name : fullName(account.user);
  return { email: account.email, name: cleanText(name, 200) };
}

type Known = Readonly<Record<'developer' | 'admin', ReadonlyMap<number, Person>>>;

function parts(draft: ActivityDraft, subjectId: string | null, known: Known): PersonalParts {
  return { actor: actorPart(draft, subjectId, known), subject: subjectPart(draft, subjectId, known), subjectId };
}

function actorPart(draft: ActivityDraft, subjectId: string | null, known: Known): PersonalParts['actor'] {
  const { actor, subject, ip, userAgent } = draft;
  if (actor.type === 'developer' || actor.type === 'admin') {
    const person = known[actor.type].get(actor.id ?? NaN);
    if (person === undefined && actor.type === 'developer') return NOBODY;
    const { name, email } = person ?? actor;
    return [name, email, ip, userAgent];
  }
  // A machine is nobody's person: what it did to a developer's record came from its own address.
  if (actor.type === 'service') return [actor.name, null, ip, userAgent];
  // A visitor's IP address on a record is assumed to be its owner's.
  const owner = draft.ownerId ?? (subject?.type === 'user' && subjectId !== null ? Number(subjectId) : null);
  if (owner !== null && !known.developer.has(owner)) return NOBODY;
  const email =
    subject?.typedEmail === undefined ? actor.email : chooseShownEmail(subject.typedEmail, subjectId !== null);
  return [actor.name, email, ip, userAgent];
}

function subjectPart({ subject, changes }: ActivityDraft, id: string | null, known: Known): PersonalParts['subject'] {
  if (subject?.type !== 'user' && subject?.type !== 'admin') return [null, null];
  const person = known[subject.type === 'user' ? 'developer' : 'admin'].get(Number(id ?? NaN));
  if (person) return [person.email, changes];
  if (subject.typedEmail !== undefined) return [chooseShownEmail(subject.typedEmail, false), null];
  // The row of a deleted admin stays readable: operators remain accountable.
  return subject.type === 'admin' ? [subject.label, changes] : [null, null];
}

/** Without an account, keeps only what helps against guessing: it may be a stranger's address, or a password. */
function chooseShownEmail(typed: string, isAccount: boolean): string | null {
  const email = normaliseEmail(typed);
  if (email === null || isAccount) return email;
  return `${email.slice(0, 1)}•••${email.slice(email.lastIndexOf('@'))}`;
}

/**
 * Erases a deleted developer from the log: names, addresses, devices, and changes of their account. The fact of each
 * event and the account's id stay, and so does the hash chain.
 */
export class ActivityEraser {
  constructor(private readonly database: Database) {}

  /** Register it after the recorder, so that the second pass runs after the deletion's own rows were written. */
  listen(events: EventBus<Transaction>): void {
    events.within(UserDeletedEvent, async ({ user }, transaction) => {
      const seen = await this.erase(user.id, 0, transaction);
      // Other requests may have added rows. The end of the chain is now locked, and later rows find no account.
      this.database.beforeCommit(transaction, async () => void (await this.erase(user.id, seen, transaction)));
    });
  }

  /** @returns the id of the last activity checked */
  private async erase(userId: number, afterId: number, transaction: Transaction): Promise<number> {
    const { database } = this;
    const rows = await findActivitiesOf(database, userId, afterId, transaction);
    const actedIn = rows.filter(({ isActor }) => isActor).map(({ id }) => id);
    await erasePersonal(database, 'actor', actedIn, transaction);
    const told = rows.filter(({ isSubject }) => isSubject).map(({ id }) => id);
    await erasePersonal(database, 'subject', told, transaction);
    return rows.at(-1)?.id ?? afterId;
  }
}
