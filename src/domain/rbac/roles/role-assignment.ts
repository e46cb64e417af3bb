import type { Database, Transaction } from '../../../database/index.js';
import {
  ForbiddenError,
  nextVersion,
  NotFoundError,
  requireVersion,
  type Clock,
  type ExpectedVersion,
} from '../../../kernel/index.js';
import { ADMIN_DECODE, adminColumns, adminModel, type AdminRecord } from '../../accounts/index.js';
import { chosen, difference, names, type References } from '../chosen.js';
import type { Granter, RightsRules } from '../rights.js';
import { readRoles } from './role-reader.js';
import type { RoleReference } from './role.js';

export interface RoleAssignment {
  readonly adminId: number;
  /** Names or ids of all roles that the admin shall have from now on. */
  readonly roles: References;
  readonly by: Granter;
  readonly expected?: ExpectedVersion;
}

interface Assigned {
  /** After the change. */
  readonly admin: AdminRecord;
  /** Names in alphabetical order. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Writes the roles of one admin under the rules of S59 and S60. Used by `RbacService`, inside its transaction. */
export class RoleAssigner {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rules: RightsRules,
  ) {}

  /**
   * @throws NotFoundError, ValidationError on `roles`, PreconditionFailedError, ForbiddenError (S59), ConflictError for the
   *   last bypass admin (S60)
   */
  async assign({ adminId, roles, by, expected }: RoleAssignment, transaction: Transaction): Promise<Assigned> {
    const { rules, database } = this;
    await rules.lock(transaction);
    const present = await this.lock(adminId, transaction);
    await rules.requireOver(by, adminId, transaction);
    const known = await readRoles(database, undefined, transaction);
    const wanted = chosen('roles', 'role', roles, known);
    requireVersion(expected, present);
    const held = await rules.grantsOf(adminId, transaction);
    const { added, removed } = difference(
      known.filter(({ id }) => held.roles.some((role) => role.id === id)),
      wanted,
    );
    const changed = [...added, ...removed];
    if (changed.length === 0) return { admin: present, before: names(wanted), after: names(wanted) };
    if (by !== 'operator' && by.id === adminId) {
      throw new ForbiddenError({ detail: 'admins never change their own roles' });
    }
    await rules.requireRoles(by, changed, transaction);
    await this.write(present, added, removed, transaction);
    if (removed.some(({ name }) => rules.isBypass(name))) await rules.requireBypassAdmin('roles', transaction);
    const admin = await this.read(adminId, transaction);
    return { admin, before: names(held.roles), after: names(wanted) };
  }

  private async lock(id: number, transaction: Transaction): Promise<AdminRecord> {
    const options = { attributes: ['id'], transaction, lock: transaction.LOCK.UPDATE };
    if (!(await adminModel(this.database).findByPk(id, options))) throw new NotFoundError();
    return this.read(id, transaction);
  }

  private async read(id: number, transaction: Transaction): Promise<AdminRecord> {
    const sql = `SELECT ${adminColumns('a')} FROM portal_admins AS a WHERE a.id = ?`;
    const [admin] = await this.database.select<AdminRecord>(sql, [id], { decode: ADMIN_DECODE, transaction });
    if (!admin) throw new NotFoundError();
    return admin;
  }

  private async write(
    admin: AdminRecord,
    added: readonly RoleReference[],
    removed: readonly RoleReference[],
    transaction: Transaction,
  ): Promise<void> {
    const { database } = this;
    for (const { id } of removed) {
      const sql = 'DELETE FROM portal_admin_roles WHERE admin_id = ? AND role_id = ?';
      await database.execute(sql, [admin.id, id], { transaction });
    }
    for (const { id } of added) {
      const sql = 'INSERT INTO portal_admin_roles (admin_id, role_id) VALUES (?, ?)';
      await database.execute(sql, [admin.id, id], { transaction });
    }
    const changed = [nextVersion(this.clock.now(), admin), admin.id];
    await database.execute('UPDATE portal_admins SET updated_at = ? WHERE id = ?', changed, { transaction });
  }
}
