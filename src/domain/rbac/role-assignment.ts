import type { Database, Transaction } from '../../database/index.js';
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../../kernel/index.js';
import { adminModel } from '../accounts/index.js';
import { readGrants, type Grants } from './grants.js';
import { roleModel, type RoleReference } from './role.js';

export interface RoleAssignment {
  readonly adminId: number;
  /** Names or ids of all roles that the admin shall have from now on. */
  readonly roles: readonly (string | number)[];
  /** The admin who asks, or the operator at the machine's command line, who may do anything. */
  readonly by: { readonly id: number } | 'operator';
}

interface AssignableRole extends RoleReference {
  readonly permissions: readonly string[];
}

/** The rules of S59 and S60 around the roles of one admin. Used by `RbacService`, inside its transaction. */
export class RoleAssigner {
  constructor(
    private readonly database: Database,
    private readonly bypassRoles: readonly string[],
  ) {}

  /**
   * @returns the names before and after
   * @throws NotFoundError, ValidationError on `roles`, ForbiddenError (S59), ConflictError for the last bypass admin (S60)
   */
  async assign(assignment: RoleAssignment, transaction: Transaction): Promise<{ before: string[]; after: string[] }> {
    const { adminId, by } = assignment;
    if (by !== 'operator' && by.id === adminId)
      throw new ForbiddenError({ detail: 'admins never change their own roles' });
    await this.lock(adminId, transaction);
    const known = await this.readRoles(transaction);
    const wanted = chosen(assignment.roles, known);
    const present = await readGrants(this.database, adminId, this.bypassRoles, transaction);
    const added = wanted.filter(({ id }) => !present.roles.some((role) => role.id === id));
    const removed = known.filter(
      ({ id }) => present.roles.some((role) => role.id === id) && !wanted.some((role) => role.id === id),
    );
    if (by !== 'operator') {
      const own = await readGrants(this.database, by.id, this.bypassRoles, transaction);
      for (const role of [...added, ...removed]) this.refuseBeyond(own, role);
    }
    await this.write(adminId, added, removed, transaction);
    if (removed.some(({ name }) => this.bypassRoles.includes(name))) await this.requireBypassAdmin(transaction);
    return { before: names(present.roles), after: names(wanted) };
  }

  /** At least one active admin must be able to do everything (S60). @throws ConflictError */
  async requireBypassAdmin(transaction: Transaction): Promise<void> {
    if (this.bypassRoles.length === 0) return;
    const [row] = await this.database.select<{ holders: number }>(
      `SELECT COUNT(*) AS holders FROM portal_admin_roles AS ar
        JOIN portal_roles AS r ON r.id = ar.role_id JOIN portal_admins AS a ON a.id = ar.admin_id
        WHERE a.status = 'active' AND r.name IN (${this.bypassRoles.map(() => '?').join(', ')})`,
      [...this.bypassRoles],
      { transaction },
    );
    if (Number(row?.holders ?? 0) === 0) {
      throw new ConflictError({
        errors: { roles: ['The last active super administrator cannot be lost. Appoint another one first.'] },
      });
    }
  }

  // The roles that bypass are the one lock that everybody takes who could lose the last such admin, and the first
  // statement: a plain read before it would fix the snapshot and hide what the lock waited for.
  private async lock(adminId: number, transaction: Transaction): Promise<void> {
    const lock = transaction.LOCK.UPDATE;
    await roleModel(this.database).findAll({
      where: { name: [...this.bypassRoles] },
      attributes: ['id'],
      order: ['id'],
      transaction,
      lock,
    });
    const admin = await adminModel(this.database).findByPk(adminId, { attributes: ['id'], transaction, lock });
    if (!admin) throw new NotFoundError();
  }

  private async readRoles(transaction: Transaction): Promise<AssignableRole[]> {
    const rows = await this.database.select<{ id: number; name: string; permission: string | null }>(
      `SELECT r.id AS id, r.name AS name, p.name AS permission FROM portal_roles AS r
        LEFT JOIN portal_role_permissions AS rp ON rp.role_id = r.id
        LEFT JOIN portal_permissions AS p ON p.id = rp.permission_id ORDER BY r.name`,
      [],
      { transaction },
    );
    const roles = new Map<number, AssignableRole & { permissions: string[] }>();
    for (const { id, name, permission } of rows) {
      const role = roles.get(id) ?? { id, name, permissions: [] };
      if (permission !== null) role.permissions.push(permission);
      roles.set(id, role);
    }
    return [...roles.values()];
  }

  private refuseBeyond(own: Grants, role: AssignableRole): void {
    if (own.bypass) return;
    const missing = role.permissions.filter((permission) => !own.permissions.has(permission));
    if (!this.bypassRoles.includes(role.name) && missing.length === 0) return;
    throw new ForbiddenError({ detail: `the role ${role.name} holds more than the admin who gives or takes it` });
  }

  private async write(
    adminId: number,
    added: readonly RoleReference[],
    removed: readonly RoleReference[],
    transaction: Transaction,
  ): Promise<void> {
    for (const { id } of removed) {
      const sql = 'DELETE FROM portal_admin_roles WHERE admin_id = ? AND role_id = ?';
      await this.database.execute(sql, [adminId, id], { transaction });
    }
    for (const { id } of added) {
      const sql = 'INSERT INTO portal_admin_roles (admin_id, role_id) VALUES (?, ?)';
      await this.database.execute(sql, [adminId, id], { transaction });
    }
  }
}

function chosen(wanted: readonly (string | number)[], known: readonly AssignableRole[]): AssignableRole[] {
  const faults: string[] = [];
  const roles = new Set<AssignableRole>();
  for (const key of wanted) {
    const role = known.find(({ id, name }) => (typeof key === 'number' ? id === key : name === key));
    if (role) roles.add(role);
    else faults.push(`There is no role ${key}. Use one of: ${names(known).join(', ')}.`);
  }
  if (faults.length > 0) throw new ValidationError({ roles: faults });
  return [...roles];
}

function names(roles: readonly RoleReference[]): string[] {
  return roles.map(({ name }) => name).sort();
}
