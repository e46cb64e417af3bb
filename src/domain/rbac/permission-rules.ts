import { joinedIds, type Database, type Transaction } from '../../database/index.js';
import { ConflictError, ForbiddenError } from '../../core/index.js';
import { countActiveHolders, readGrants, type Grants } from './grants.js';
import { ADMINS_WITH_ROLE, roleRecord } from './role.js';

/** Who changes permissions: an admin, or the operator at the command line, who may do anything. */
export type Granter = { readonly id: number } | 'operator';

/** The parts of a role that determine its rights. */
export interface RolePermissions {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * The rules S59 and S60, checked within the transaction of the change and after {@link PermissionRules.lock}. Where a
 * password is hashed first, they are also checked before, without a transaction, so that refused requests cost no CPU.
 */
export class PermissionRules {
  constructor(
    private readonly database: Database,
    private readonly bypassRoles: readonly string[],
  ) {}

  /**
   * The one lock that every permission change takes, so that its checks still hold when it commits. Must be the first
   * statement of its transaction: an earlier plain read would fix the snapshot and hide what the lock waited for.
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

  /** Admins cannot change an admin with permissions they lack (S59). @throws ForbiddenError */
  async requireOver(by: Granter, adminId: number, transaction?: Transaction): Promise<void> {
    if (by === 'operator') return;
    const own = await this.grantsOf(by.id, transaction);
    if (!own.bypass) await this.refuseStronger(by.id, own, adminId, transaction);
  }

  /**
   * Admins cannot change a role that they could not assign, or one whose holders have more rights: its name and
   * permissions decide what its holders, and the groups mapped to it, may do (S59). @throws ForbiddenError
   */
  async requireOverRole(
    by: Granter,
    role: RolePermissions & { readonly id: number },
    transaction: Transaction,
  ): Promise<void> {
    if (by === 'operator') return;
    await this.requireRoles(by, [role], transaction);
    const own = await this.grantsOf(by.id, transaction);
    if (own.bypass) return;
    const holders = await joinedIds(this.database, ADMINS_WITH_ROLE, role.id, transaction);
    for (const id of holders) await this.refuseStronger(by.id, own, id, transaction);
  }

  /** Admins cannot grant or revoke permissions they lack (S59). @throws ForbiddenError */
  async requireHeld(by: Granter, permissions: readonly string[], transaction?: Transaction): Promise<void> {
    if (by === 'operator' || permissions.length === 0) return;
    const own = await this.grantsOf(by.id, transaction);
    const lacking = own.bypass ? [] : findMissing(own, permissions);
    if (lacking.length > 0) throw new ForbiddenError({ detail: `admin ${by.id} lacks ${lacking.join(', ')}` });
  }

  /** Admins cannot assign or remove a role with more rights than their own (S59). @throws ForbiddenError */
  async requireRoles(by: Granter, roles: readonly RolePermissions[], transaction?: Transaction): Promise<void> {
    if (by === 'operator' || roles.length === 0) return;
    if (roles.some(({ name }) => this.isBypass(name))) await this.requireBypass(by, transaction);
    const permissions = roles.flatMap((role) => role.permissions);
    await this.requireHeld(by, permissions, transaction);
  }

  /** For changes reserved to bypass admins. @throws ForbiddenError */
  async requireBypass(by: Granter, transaction?: Transaction): Promise<void> {
    if (by === 'operator' || (await this.grantsOf(by.id, transaction)).bypass) return;
    throw new ForbiddenError({ detail: `admin ${by.id} has no bypass role` });
  }

  private async refuseStronger(by: number, own: Grants, adminId: number, transaction?: Transaction): Promise<void> {
    const theirs = await this.grantsOf(adminId, transaction);
    if (!theirs.bypass && findMissing(own, [...theirs.permissions]).length === 0) return;
    throw new ForbiddenError({ detail: `admin ${adminId} holds more than admin ${by}` });
  }

  /** At least one active admin must keep a bypass role (S60). @throws ConflictError on `field` */
  async requireBypassAdmin(field: string, transaction: Transaction): Promise<void> {
    if (this.bypassRoles.length === 0) return;
    if ((await countActiveHolders(this.database, this.bypassRoles, transaction)) > 0) return;
    const sentence = 'The last active super administrator cannot be lost. Appoint another one first.';
    throw new ConflictError({ errors: { [field]: [sentence] } });
  }
}

function findMissing(own: Grants, permissions: readonly string[]): string[] {
  return permissions.filter((permission) => !own.permissions.has(permission));
}
