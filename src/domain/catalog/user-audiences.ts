import {
  changeLinks,
  findByReference,
  findLinked,
  type Database,
  type TableVersions,
  type Transaction,
} from '../../database/index.js';
import { ValidationError } from '../../core/index.js';
import type { Changes } from '../accounts/index.js';
import { AUDIENCE_NAMES, audienceRecord, type AudienceReference } from './audience.js';
import { isAmong } from './join-table.js';
import { CATALOG_TABLES } from './products/product-list.js';

const AUDIENCES = { table: 'portal_audience_users', owner: 'user_id', key: 'audience_id' };

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
    return findLinked(this.parts.database, AUDIENCES, audienceRecord, userIds, options);
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
    await changeLinks(database, AUDIENCES, userId, ids, transaction);
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
