import { placeholders, type Database, type Transaction } from '../../database/index.js';
import { ConflictError, ForbiddenError } from '../../core/index.js';
import { readGrants, type Grants } from './grants.js';
import { roleRecord } from './roles/role.js';

/** On whose behalf rights change: an admin, or the operator at the machine's command line, who may do anything. */
export type Granter = { readonly id: number } | 'operator';

/** A role as far as it decides about rights. */
export interface RightsOfRole {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * The rules of S59 and S60, asked within the transaction of the change and after {@link PermissionRules.lock}. Where a password
 * is hashed before that, they are asked without a transaction as well: who may not do it shall not keep the machine busy.
 */
export class PermissionRules {
  constructor(
    private readonly database: Database,
    private readonly bypassRoles: readonly string[],
  ) {}

  /**
   * The one lock that every change of rights takes, so that what it checked still holds when it commits. The first
   * statement of its transaction: a plain read before it would fix the snapshot and hide what the lock waited for.
   */
  async lock(transaction: Transaction): Promise<void> {
    await roleRecord.findAll(this.database, {}, { transaction, lock: true, order: 'r.id' });
  }

  async grantsOf(adminId: number, transaction?: Transaction): Promise<Grants> {
    return readGrants(this.database, adminId, this.bypassRoles, transaction);
  }

  isBypass(role: string): boolean {
    return this.bypassRoles.some((name) => name.toLowerCase() === role.toLowerCase());
  }

  /** Nobody changes an admin who may do what they may not (S59). @throws ForbiddenError */
  async requireOver(by: Granter, adminId: number, transaction?: Transaction): Promise<void> {
    if (by === 'operator') return;
    const own = await this.grantsOf(by.id, transaction);
    if (!own.bypass) await this.refuseStronger(by.id, own, adminId, transaction);
  }

  /**
   * Nobody changes a role in any way that they could not give away, or that somebody holds who may do more: its name and its
   * permissions decide what all of its holders, and the groups that it is given to, may do (S59). @throws ForbiddenError
   */
  async requireOverRole(
    by: Granter,
    role: RightsOfRole & { readonly id: number },
    transaction: Transaction,
  ): Promise<void> {
    if (by === 'operator') return;
    await this.requireRoles(by, [role], transaction);
    const own = await this.grantsOf(by.id, transaction);
    if (own.bypass) return;
    const holders = await this.database.select<{ id: number }>(
      'SELECT admin_id AS id FROM portal_admin_roles WHERE role_id = ? ORDER BY admin_id',
      [role.id],
      { transaction },
    );
    for (const { id } of holders) await this.refuseStronger(by.id, own, id, transaction);
  }

  /** Nobody gives or takes what they do not hold (S59). @throws ForbiddenError */
  async requireHeld(by: Granter, permissions: readonly string[], transaction?: Transaction): Promise<void> {
    if (by === 'operator' || permissions.length === 0) return;
    const own = await this.grantsOf(by.id, transaction);
    const lacking = own.bypass ? [] : findMissing(own, permissions);
    if (lacking.length > 0) throw new ForbiddenError({ detail: `admin ${by.id} lacks ${lacking.join(', ')}` });
  }

  /** Nobody gives or takes a role that holds more than they do (S59). @throws ForbiddenError */
  async requireRoles(by: Granter, roles: readonly RightsOfRole[], transaction?: Transaction): Promise<void> {
    if (by === 'operator' || roles.length === 0) return;
    if (roles.some(({ name }) => this.isBypass(name))) await this.requireBypass(by, transaction);
    const permissions = roles.flatMap((role) => role.permissions);
    await this.requireHeld(by, permissions, transaction);
  }

  /** What only those may do who may do everything. @throws ForbiddenError */
  async requireBypass(by: Granter, transaction?: Transaction): Promise<void> {
    if (by === 'operator' || (await this.grantsOf(by.id, transaction)).bypass) return;
    throw new ForbiddenError({ detail: `admin ${by.id} has no bypass role` });
  }

  private async refuseStronger(by: number, own: Grants, adminId: number, transaction?: Transaction): Promise<void> {
    const theirs = await this.grantsOf(adminId, transaction);
    if (!theirs.bypass && findMissing(own, [...theirs.permissions]).length === 0) return;
    throw new ForbiddenError({ detail: `admin ${adminId} holds more than admin ${by}` });
  }

  /** At least one active admin must be able to do everything (S60). @throws ConflictError on `field` */
  async requireBypassAdmin(field: string, transaction: Transaction): Promise<void> {
    if (this.bypassRoles.length === 0) return;
    const [row] = await this.database.select<{ holders: number }>(
      `SELECT COUNT(*) AS holders FROM portal_admin_roles AS ar
        JOIN portal_roles AS r ON r.id = ar.role_id JOIN portal_admins AS a ON a.id = ar.admin_id
        WHERE a.status = 'active' AND r.name IN (${placeholders(this.bypassRoles)})`,
      [...this.bypassRoles],
      { transaction },
    );
    if (Number(row?.holders ?? 0) > 0) return;
    const sentence = 'The last active super administrator cannot be lost. Appoint another one first.';
    throw new ConflictError({ errors: { [field]: [sentence] } });
  }
}

function findMissing(own: Grants, permissions: readonly string[]): string[] {
  return permissions.filter((permission) => !own.permissions.has(permission));
}
