import {
  findTriggers,
  placeholders,
  type Database,
  type SqlValue,
  type Transaction,
  appendOnlyTriggers,
} from '../../database/index.js';
import type { AuthAccount } from '../auth/index.js';
import type { ActivityDraft } from './activity-draft.js';
import { PersonalData, type PersonalParts } from './personal-data.js';
import type { ChainState } from './chain-state.js';
import { sealPersonal, type ChainedRow, type ChainKeys } from './chain-hash.js';

interface WrittenRow {
  readonly row: ChainedRow;
  readonly parts: PersonalParts;
  readonly salts: readonly [actor: string | null, subject: string | null];
}

const ACTIVITY_COLUMNS =
  'id, action, actor_type, actor_id, subject_type, subject_id, subject_label, owner_id, changes, request_id, ' +
  'created_at, actor_seal, subject_seal, previous_hash, hash';
const PEOPLE_COLUMNS =
  'activity_id, actor_name, actor_email, ip, user_agent, actor_salt, subject_label, subject_changes, subject_salt';
/** Rows per INSERT. */
const BATCH = 200;

/** Appends activities, each linked to the previous one (S73). */
export class ActivityChain {
  private readonly people: PersonalData;

  constructor(
    private readonly database: Database,
    private readonly head: ChainState,
    private readonly keys: ChainKeys,
  ) {
    this.people = new PersonalData(database);
  }

  /** Tells who an account is that the transaction locks before its end. */
  introduce(account: AuthAccount, transaction: Transaction): void {
    this.people.introduce(account, transaction);
  }

  /** Appends drafts to the chain. Call it last in a transaction: it takes the lock of the head. */
  async append(drafts: readonly ActivityDraft[], transaction: Transaction): Promise<void> {
    const head = await this.head.lock(transaction);
    const parts = await this.people.partsOf(drafts, transaction);
    let [lastId, lastHash] = [head.lastId, head.lastHash];
    const written: WrittenRow[] = [];
    const activities: SqlValue[][] = [];
    for (const [index, draft] of drafts.entries()) {
      const next = buildRow(lastId + 1, draft, parts[index] as PersonalParts);
      const hash = this.keys.hash(lastHash, next.row);
      activities.push([...activityValues(next.row), lastHash, hash]);
      written.push(next);
      [lastId, lastHash] = [next.row.id, hash];
    }
    await this.insert('portal_activities', ACTIVITY_COLUMNS, activities, transaction);
    await this.insert('portal_activity_people', PEOPLE_COLUMNS, written.flatMap(peopleValues), transaction);
    await this.head.move(head, { ...head, lastId, lastHash }, transaction);
  }

  private async insert(table: string, columns: string, rows: readonly SqlValue[][], transaction: Transaction) {
    for (let first = 0; first < rows.length; first += BATCH) {
      const batch = rows.slice(first, first + BATCH);
      const tuples = batch.map((values) => `(${placeholders(values)})`);
      const sql = `INSERT INTO ${table} (${columns}) VALUES ${tuples.join(', ')}`;
      await this.database.execute(sql, batch.flat(), { transaction });
    }
  }
}

function buildRow(id: number, draft: ActivityDraft, parts: PersonalParts): WrittenRow {
  const { subject, actor, action, occurredAt: createdAt, requestId } = draft;
  const isAccount = subject?.type === 'user' || subject?.type === 'admin';
  const actorSeal = sealPersonal(parts.actor);
  const subjectSeal = sealPersonal(parts.subject);
  const row = {
    ...{ id, action, createdAt, requestId },
    actorType: actor.type,
    actorId: actor.id,
    subjectType: subject?.type ?? null,
    subjectId: parts.subjectId,
    subjectLabel: isAccount ? null : (subject?.label ?? null),
    ownerId: ownerOf(draft, parts.subjectId),
    changes: isAccount ? null : draft.changes,
    actorSeal: actorSeal?.seal ?? null,
    subjectSeal: subjectSeal?.seal ?? null,
  };
  return { row, parts, salts: [actorSeal?.salt ?? null, subjectSeal?.salt ?? null] };
}

function ownerOf({ ownerId, subject, actor }: ActivityDraft, subjectId: string | null): number | null {
  if (ownerId !== null) return ownerId;
  if (subject?.type === 'user' && subjectId !== null) return Number(subjectId);
  return actor.type === 'developer' ? actor.id : null;
}

function activityValues(row: ChainedRow): SqlValue[] {
  const { id, action, actorType, actorId, subjectType, subjectId, subjectLabel, ownerId, changes } = row;
  const { requestId, createdAt, actorSeal, subjectSeal } = row;
  return [
    ...[id, action, actorType, actorId, subjectType, subjectId, subjectLabel, ownerId],
    ...[changes && JSON.stringify(changes), requestId, createdAt, actorSeal, subjectSeal],
  ];
}

// No row if there is no personal data, as in most actions of the operator or the system.
function peopleValues({ row, parts, salts: [actorSalt, subjectSalt] }: WrittenRow): SqlValue[][] {
  if (actorSalt === null && subjectSalt === null) return [];
  const [label, changes] = parts.subject;
  const subject = [label, changes === null ? null : JSON.stringify(changes), subjectSalt];
  return [[row.id, ...parts.actor, actorSalt, ...subject]];
}

const TABLE = 'portal_activities';
const REMOVABLE = '(SELECT prune_until FROM portal_activity_chain WHERE id = 1)';

/** Triggers that reject changes of the log. The migration creates them if it has the privilege. */
export class ChainGuard {
  constructor(private readonly database: Database) {}

  async isInPlace(): Promise<boolean> {
    const present = await findTriggers(this.database, TABLE);
    return this.triggers().names.every((name) => present.includes(name));
  }

  /** @throws DatabaseError when the database user may not create triggers */
  async establish(): Promise<void> {
    const { drop, create } = this.triggers();
    for (const statement of [...drop, ...create]) await this.database.execute(statement);
  }

  private triggers() {
    return appendOnlyTriggers(this.database.dialect, TABLE, REMOVABLE);
  }
}
