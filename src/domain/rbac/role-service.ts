import { changeJoinRows, changeRecord, countRows, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  NotFoundError,
  requireVersion,
  type ExpectedVersion,
  type ListQuery,
  type ListPage,
} from '../../core/index.js';
import type { Changes } from '../accounts/index.js';
import { chooseKnown, difference, names, type References } from './chosen.js';
import { RoleCreatedEvent, RoleDeletedEvent, RoleUpdatedEvent } from './events.js';
import { changePermissions, type PermissionChangeParts } from './permission-changes.js';
import type { Granter } from './permission-rules.js';
import { permissionRecord } from './permission.js';
import { readRoles, roleList, withPermissions } from './role-reader.js';
import { ADMINS_WITH_ROLE, PERMISSIONS_OF_ROLE, roleRecord, type RoleRecord, type RoleReference } from './role.js';

/** Changes to a role; undefined keeps the value. */
export interface RoleChange {
  readonly name?: string | undefined;
  readonly label?: string | undefined;
  /** Names or ids of all permissions that the role should have. */
  readonly permissions?: References | undefined;
}

export type NewRole = RoleChange & { readonly name: string };

/**
 * Roles under the rules of S59: admins cannot change a role, or add permissions to one, beyond what they could assign.
 */
export class RoleService {
  constructor(private readonly parts: PermissionChangeParts) {}

  /** @throws NotFoundError */
  async find(id: number): Promise<RoleRecord> {
    return this.require(id);
  }

  /** @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<RoleRecord>> {
    const page = await this.parts.lists.run(roleList, query);
    return { ...page, items: await withPermissions(this.parts.database, page.items) };
  }

  /** @throws ForbiddenError (S59), ValidationError on `name` or `permissions` */
  async create({ name, label, permissions = [] }: NewRole, by: Granter): Promise<RoleRecord> {
    const { database, events, clock, shipped } = this.parts;
    shipped.refuseNewRole(name);
    return changePermissions(this.parts, 'role', async (transaction) => {
      await this.refuseGivenName(name, by, transaction);
      const wanted = await this.readPermissions(permissions, transaction);
      await this.parts.rbac.rules.requireHeld(by, names(wanted), transaction);
      const now = clock.now();
      const values = { name, label: label ?? name, createdAt: now, updatedAt: now };
      const id = await roleRecord.insert(database, values, transaction);
      await this.link(id, wanted, [], transaction);
      const role = await this.require(id, transaction);
      await events.emit(new RoleCreatedEvent({ role, occurredAt: now }), transaction);
      return role;
    });
  }

  /**
   * @throws NotFoundError, PreconditionFailedError, ForbiddenError for a role with more rights, or whose holders have
   *   more (S59), ConflictError for the name of a role that is built in or that a module assigns, ValidationError on
   *   `name` or `permissions`
   */
  async update(id: number, change: RoleChange, by: Granter, expected?: ExpectedVersion): Promise<RoleRecord> {
    const { rbac, shipped } = this.parts;
    const { name, label, permissions } = change;
    return changePermissions(this.parts, 'role', (transaction) =>
      changeRecord(roleRecord, this.parts, transaction, {
        id,
        expected,
        plan: async () => {
          const before = await this.require(id, transaction);
          await rbac.rules.requireOverRole(by, before, transaction);
          if (name !== undefined && name !== before.name) {
            shipped.refuseNewRole(name);
            shipped.refuseLosingRole(before.name);
            await this.refuseGivenName(name, by, transaction);
          }
          const elsewhere = await this.changePermissions(before, permissions, by, transaction);
          return { values: { name, label }, elsewhere };
        },
        read: () => this.require(id, transaction),
        announce: (role, changes, occurredAt) => [new RoleUpdatedEvent({ role, changes, occurredAt })],
      }),
    );
  }

  /**
   * @throws NotFoundError, PreconditionFailedError, ForbiddenError for a role with more rights (S59), ConflictError for
   *   a role that is built in, that a module assigns or that somebody holds
   */
  async delete(id: number, by: Granter, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock, shipped } = this.parts;
    await changePermissions(this.parts, 'role', async (transaction) => {
      const role = await this.require(id, transaction);
      requireVersion(expected, role);
      await this.parts.rbac.rules.requireOverRole(by, role, transaction);
      shipped.refuseLosingRole(role.name);
      const holders = await countRows(database, ADMINS_WITH_ROLE, id, transaction);
      if (holders > 0) {
        const who = holders === 1 ? '1 admin holds' : `${holders} admins hold`;
        throw new ConflictError({ errors: { admins: [`${who} this role. Take it from them first.`] } });
      }
      await events.emit(new RoleDeletedEvent({ role, occurredAt: clock.now() }), transaction);
      await roleRecord.remove(database, { id }, transaction);
    });
  }

  private async changePermissions(
    role: RoleRecord,
    requested: References | undefined,
    by: Granter,
    transaction: Transaction,
  ): Promise<Changes | null> {
    if (requested === undefined) return null;
    const { rules } = this.parts.rbac;
    const known = await this.findKnownPermissions(transaction);
    const wanted = chooseKnown('permissions', 'permission', requested, known);
    const { added, removed } = difference(
      known.filter(({ name }) => role.permissions.includes(name)),
      wanted,
    );
    if (added.length + removed.length === 0) return null;
    await rules.requireHeld(by, names(added), transaction);
    await this.link(role.id, added, removed, transaction);
    return { permissions: [role.permissions, names(wanted)] };
  }

  // Members of the mapped group get the role of this name, so it must be one that they are meant to have.
  private async refuseGivenName(name: string, by: Granter, transaction: Transaction): Promise<void> {
    if (this.parts.shipped.isGiven(name)) await this.parts.rbac.rules.requireBypass(by, transaction);
  }

  private async link(
    roleId: number,
    added: readonly RoleReference[],
    removed: readonly RoleReference[],
    transaction: Transaction,
  ): Promise<void> {
    const change = { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
    await changeJoinRows(this.parts.database, PERMISSIONS_OF_ROLE, roleId, change, transaction);
  }

  private async readPermissions(requested: References, transaction: Transaction): Promise<RoleReference[]> {
    return chooseKnown('permissions', 'permission', requested, await this.findKnownPermissions(transaction));
  }

  private async findKnownPermissions(transaction: Transaction): Promise<RoleReference[]> {
    return permissionRecord.findAll(this.parts.database, {}, { transaction, order: 'p.name' });
  }

  private async require(id: number, transaction?: Transaction): Promise<RoleRecord> {
    const [role] = await readRoles(this.parts.database, id, transaction);
    if (!role) throw new NotFoundError();
    return role;
  }
}
