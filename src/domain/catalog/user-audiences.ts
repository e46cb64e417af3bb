import {
  changeJoinRows,
  findByReference,
  findJoined,
  type Database,
  type TableVersions,
  type Transaction,
} from '../../database/index.js';
import { ValidationError } from '../../core/index.js';
import type { Changes } from '../accounts/index.js';
import { AUDIENCE_NAMES, AUDIENCE_PRODUCTS, audienceRecord, type AudienceReference } from './audience.js';
import { isAmong } from './join-table.js';
import { PLAN_AUDIENCES } from './plans/plan.js';
import { CATALOG_TABLES } from './products/product-list.js';

const AUDIENCES = { table: 'portal_audience_users', owner: 'user_id', key: 'audience_id' };

/** What belongs to audiences, by the type of a thing. */
const BELONGING = {
  user: AUDIENCES,
  product: { table: AUDIENCE_PRODUCTS.table, owner: AUDIENCE_PRODUCTS.key, key: AUDIENCE_PRODUCTS.owner },
  plan: PLAN_AUDIENCES,
};

interface UserAudiencesParts {
  readonly database: Database;
  readonly versions: TableVersions;
}

/** The audiences that developers belong to. */
export class UserAudiences {
  constructor(private readonly parts: UserAudiencesParts) {}

  /** One query for any number of developers; those without an audience are absent. */
  of(
    userIds: readonly number[],
    transaction?: Transaction,
  ): Promise<ReadonlyMap<number, readonly AudienceReference[]>> {
    const options = { only: ['id', 'name'], order: 'a.name, a.id', transaction } as const;
    return findJoined(this.parts.database, AUDIENCES, audienceRecord, userIds, options);
  }

  /** Those of these ids that are there. */
  named(ids: readonly number[]): Promise<readonly AudienceReference[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return audienceRecord.findAll(this.parts.database, { id: ids }, { only: ['id', 'name'], order: 'a.name, a.id' });
  }

  /**
   * Ids of the audiences that things belong to; those of other types, and what belongs to none, are absent.
   * @param things `user:3` (or the account of a team), `product:7`, `plan:2`, `audience:1`
   */
  async concerned(
    things: readonly string[],
    transaction: Transaction,
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const found = new Map<string, readonly number[]>();
    const idsOf = (type: string) =>
      [...new Set(things)].filter((thing) => thing.startsWith(`${type}:`)).map((thing) => Number(thing.split(':')[1]));
    for (const id of idsOf('audience')) found.set(`audience:${id}`, [id]);
    for (const [type, links] of Object.entries(BELONGING)) {
      const options = { only: ['id'], order: 'a.id', transaction } as const;
      const joined = await findJoined(this.parts.database, links, audienceRecord, idsOf(type), options);
      for (const [id, audiences] of joined)
        found.set(
          `${type}:${id}`,
          audiences.map((audience) => audience.id),
        );
    }
    return found;
  }

  /**
   * Makes a developer, whose row the transaction has locked, a member of exactly these audiences.
   * @param wanted names, in any case, or ids
   * @returns the names before and after; null when they are the same
   * @throws ValidationError on `audiences` for every unknown one
   */
  async replace(
    userId: number,
    wanted: readonly (string | number)[],
    transaction: Transaction,
  ): Promise<Changes | null> {
    const { database, versions } = this.parts;
    const after = await this.require(wanted, transaction);
    const before = (await this.of([userId], transaction)).get(userId) ?? [];
    const lacks = (audiences: readonly AudienceReference[]) => (audience: AudienceReference) =>
      !audiences.some(({ id }) => id === audience.id);
    const added = after.filter(lacks(before));
    const removed = before.filter(lacks(after));
    if (added.length + removed.length === 0) return null;
    const ids = { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
    await changeJoinRows(database, AUDIENCES, userId, ids, transaction);
    await versions.touch(CATALOG_TABLES, transaction);
    return { audiences: [before.map(({ name }) => name), after.map(({ name }) => name)] };
  }

  /**
   * Resolves audiences by name or id. One query for any number; names are compared case-insensitively, by the database.
   * @throws ValidationError on `audiences` for every unknown one
   */
  async require(
    wanted: readonly (string | number)[],
    transaction?: Transaction,
  ): Promise<readonly AudienceReference[]> {
    const known = await findByReference(this.parts.database, AUDIENCE_NAMES, wanted, transaction);
    const missing = [...new Set(wanted)].filter((reference) => !isAmong(known, reference));
    if (missing.length === 0) return known;
    throw new ValidationError({ audiences: missing.map((reference) => `There is no audience "${reference}".`) });
  }
}
