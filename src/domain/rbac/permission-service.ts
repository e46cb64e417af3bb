import { changeRecord, countRows, lockRecord, type Transaction } from '../../database/index.js';
import { ConflictError, type ExpectedVersion, type ListQuery, type ListPage } from '../../core/index.js';
import { changesOf } from '../accounts/index.js';
import { PermissionCreatedEvent, PermissionDeletedEvent, PermissionUpdatedEvent } from './events.js';
import { permissionList, permissionRecord, ROLES_WITH_IT, type PermissionRecord } from './permission.js';
import { TOKENS_WITH_IT } from './service-token.js';
import { changePermissions, type PermissionChangeParts } from './permission-changes.js';
import type { Granter } from './permission-rules.js';

/** Changes to a permission; undefined keeps the value. */
export interface PermissionChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export type NewPermission = PermissionChange & { readonly name: string };

/** Permissions: the built-in ones, and those that a host adds for its own routes. */
export class PermissionService {
  constructor(private readonly parts: PermissionChangeParts) {}

  /** @throws NotFoundError */
  find(id: number, transaction?: Transaction): Promise<PermissionRecord> {
    return permissionRecord.require(this.parts.database, { id }, { transaction });
  }

  /** @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<PermissionRecord>> {
    return this.parts.lists.run(permissionList, query);
  }

  /**
   * A new permission has no holders; a bypass admin assigns it to its first role (S59).
   * @throws ValidationError on `name`
   */
  async create({ name, description = '' }: NewPermission): Promise<PermissionRecord> {
    const { database, events, clock, shipped } = this.parts;
    shipped.refuseNewPermission(name);
    return changePermissions(this.parts, 'permission', async (transaction) => {
      const now = clock.now();
      const values = { name, description, createdAt: now, updatedAt: now };
      const id = await permissionRecord.insert(database, values, transaction);
      const permission = await this.find(id, transaction);
      await events.emit(new PermissionCreatedEvent({ permission, occurredAt: now }), transaction);
      return permission;
    });
  }

  /**
   * @throws NotFoundError, PreconditionFailedError, ConflictError for the name of a built-in permission, ForbiddenError
   *   for a permission that others hold and `by` does not, and for its name, since a rename would grant its holders
   *   something else (S59)
   */
  async update(
    id: number,
    { name, description }: PermissionChange,
    by: Granter,
    expected?: ExpectedVersion,
  ): Promise<PermissionRecord> {
    const { database, shipped, rbac } = this.parts;
    return changePermissions(this.parts, 'permission', (transaction) =>
      changeRecord(permissionRecord, this.parts, transaction, {
        id,
        expected,
        plan: async (before) => {
          const values = { name, description };
          if (!changesOf(before, values)) return {};
          const isGranted =
            (await countRows(database, ROLES_WITH_IT, id, transaction)) > 0 ||
            (await countRows(database, TOKENS_WITH_IT, id, transaction)) > 0;
          if (isGranted) await rbac.rules.requireHeld(by, [before.name], transaction);
          if (name !== undefined && name !== before.name) {
            shipped.refuseLosingPermission(before.name);
            shipped.refuseNewPermission(name);
            if (isGranted) await rbac.rules.requireBypass(by, transaction);
          }
          return { values };
        },
        read: () => this.find(id, transaction),
        announce: (permission, changes, occurredAt) => [
          new PermissionUpdatedEvent({ permission, changes, occurredAt }),
        ],
      }),
    );
  }

  /** @throws NotFoundError, PreconditionFailedError, ConflictError if it is built in or a role holds it */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock, shipped } = this.parts;
    await changePermissions(this.parts, 'permission', async (transaction) => {
      const permission = await lockRecord(permissionRecord, database, id, expected, transaction);
      shipped.refuseLosingPermission(permission.name);
      const roles = await countRows(database, ROLES_WITH_IT, id, transaction);
      if (roles > 0) {
        const who = roles === 1 ? '1 role holds' : `${roles} roles hold`;
        throw new ConflictError({ errors: { roles: [`${who} this permission. Take it out of them first.`] } });
      }
      await events.emit(new PermissionDeletedEvent({ permission, occurredAt: clock.now() }), transaction);
      await permissionRecord.remove(database, { id }, transaction);
    });
  }
}
