import { changeJoinRows, type Database, type Transaction } from '../../database/index.js';
import { ForbiddenError, nextVersion, requireVersion, type Clock, type ExpectedVersion } from '../../core/index.js';
import { adminRecord, type AdminRecord } from '../accounts/index.js';
import { chooseKnown, difference, names, type References } from './chosen.js';
import type { Granter, PermissionRules } from './permission-rules.js';
import { readRoles } from './role-reader.js';
import { ROLES_OF_ADMIN, type RoleReference } from './role.js';

/** Called within the transaction that changes the roles, so that names cannot change their meaning meanwhile. */
export type RoleChoice = (roles: {
  /** Names of the admin's present roles. */
  readonly held: readonly string[];
  /** Names of all roles. */
  readonly known: readonly string[];
}) => References;

export interface RoleAssignment {
  readonly adminId: number;
  /** Names or ids of all roles that the admin should have. */
  readonly roles: References | RoleChoice;
  readonly by: Granter;
  readonly expected?: ExpectedVersion;
}

export type RoleSelection = Pick<RoleAssignment, 'roles' | 'by'> & { readonly adminId: number | null };

interface RolePlan {
  readonly before: readonly RoleReference[];
  readonly wanted: readonly RoleReference[];
  readonly added: readonly RoleReference[];
  readonly removed: readonly RoleReference[];
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
    private readonly rules: PermissionRules,
  ) {}

  /**
   * @throws NotFoundError, ValidationError on `roles`, PreconditionFailedError, ForbiddenError (S59), ConflictError for the
   *   last bypass admin (S60)
   */
  async assign({ adminId, roles, by, expected }: RoleAssignment, transaction: Transaction): Promise<Assigned> {
    const { rules, database } = this;
    await rules.lock(transaction);
    const present = await adminRecord.require(database, { id: adminId }, { transaction, lock: true });
    await rules.requireOver(by, adminId, transaction);
    requireVersion(expected, present);
    const { before, wanted, added, removed } = await this.plan({ adminId, roles, by }, transaction);
    if (added.length + removed.length === 0) return { admin: present, before: names(wanted), after: names(wanted) };
    await this.write(present, added, removed, transaction);
    if (removed.some(({ name }) => rules.isBypass(name))) await rules.requireBypassAdmin('roles', transaction);
    const admin = await adminRecord.require(database, { id: adminId }, { transaction });
    return { admin, before: names(before), after: names(wanted) };
  }

  /**
   * The changes of an assignment, once it is known to be allowed.
   * @param adminId null for an account that does not exist yet
   * @throws ValidationError on `roles`, ForbiddenError (S59)
   */
  async plan({ adminId, roles, by }: RoleSelection, transaction?: Transaction): Promise<RolePlan> {
    const { rules, database } = this;
    const known = await readRoles(database, undefined, transaction);
    const held = adminId === null ? [] : (await rules.grantsOf(adminId, transaction)).roles;
    const before = known.filter(({ id }) => held.some((role) => role.id === id));
    const requested = typeof roles === 'function' ? roles({ held: names(before), known: names(known) }) : roles;
    const wanted = chooseKnown('roles', 'role', requested, known);
    const { added, removed } = difference(before, wanted);
    const changed = [...added, ...removed];
    if (changed.length > 0 && by !== 'operator' && by.id === adminId) {
      throw new ForbiddenError({ detail: 'admins never change their own roles' });
    }
    await rules.requireRoles(by, changed, transaction);
    return { before, wanted, added, removed };
  }

  private async write(
    admin: AdminRecord,
    added: readonly RoleReference[],
    removed: readonly RoleReference[],
    transaction: Transaction,
  ): Promise<void> {
    const { id } = admin;
    const change = { added: added.map((role) => role.id), removed: removed.map((role) => role.id) };
    await changeJoinRows(this.database, ROLES_OF_ADMIN, id, change, transaction);
    await adminRecord.update(this.database, { id }, { updatedAt: nextVersion(this.clock.now(), admin) }, transaction);
  }
}
