import { changeRecord, lockRecord, Op, type Database, type Transaction } from '../../database/index.js';
import { ConflictError, NotFoundError, type Clock, type EventBus, type ExpectedVersion } from '../../core/index.js';
import type { RbacService } from '../rbac/index.js';
import { SavedViewCreatedEvent, SavedViewDeletedEvent, SavedViewUpdatedEvent } from './events.js';
import { savedViewRecord, type SavedView, type SavedViewInput } from './saved-view.js';

/** Enough for anybody, and a bound for the navigation that shows them. */
const MOST_VIEWS = 200;

export interface SavedViewParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly rbac: Pick<RbacService, 'rolesOf' | 'grantsOf' | 'rules'>;
  /** Permission that sharing with a role takes. */
  readonly manageRbac: string;
}

type ViewChange = Partial<Omit<SavedViewInput, 'resource'>>;

/** The named queries of the console's lists: each admin's own, and those shared with one of their roles. */
export class SavedViewService {
  constructor(private readonly parts: SavedViewParts) {}

  /** What an admin may open, pinned ones first and then by name. @param resource all by default */
  async list(adminId: number, resource?: string): Promise<SavedView[]> {
    const { database } = this.parts;
    const order = { order: 'v.is_pinned DESC, v.name, v.id' } as const;
    const of = resource === undefined ? {} : { resource };
    const roles = await this.rolesOf(adminId);
    const own = await savedViewRecord.findAll(database, { ...of, adminId }, order);
    if (roles.length === 0) return own;
    const others = { ...of, roleId: roles, adminId: { [Op.ne]: adminId } };
    const shared = await savedViewRecord.findAll(database, others, order);
    return [...own, ...shared].sort((one, two) => Number(two.isPinned) - Number(one.isPinned));
  }

  /** What a list opens with: the admin's own default, else that of one of their roles; null for none. */
  async findDefault(adminId: number, resource: string): Promise<SavedView | null> {
    const defaults = (await this.list(adminId, resource)).filter(({ isDefault }) => isDefault);
    return defaults.find((view) => view.roleId === null) ?? defaults[0] ?? null;
  }

  /** A view that the admin may open. @throws NotFoundError */
  async find(id: number, adminId: number): Promise<SavedView> {
    const view = await savedViewRecord.require(this.parts.database, { id });
    if (view.adminId === adminId) return view;
    if (view.roleId !== null && (await this.rolesOf(adminId)).includes(view.roleId)) return view;
    if (view.roleId !== null && (await this.mayShare(adminId))) return view;
    throw new NotFoundError();
  }

  /** @throws ForbiddenError for sharing without the permission, ConflictError for too many */
  async create(input: SavedViewInput, adminId: number): Promise<SavedView> {
    const { database, events, clock } = this.parts;
    const { resource, name, query, isPinned = false, isDefault = false, roleId = null } = input;
    if (roleId !== null) await this.requireSharing(adminId);
    return database.transaction(async (transaction) => {
      if ((await savedViewRecord.count(database, { adminId }, transaction)) >= MOST_VIEWS) {
        throw new ConflictError({ errors: { name: [`An admin has at most ${MOST_VIEWS} views.`] } });
      }
      const now = clock.now();
      const values = { adminId, roleId, resource, name, query, isPinned, isDefault, createdAt: now, updatedAt: now };
      if (isDefault) await this.clearDefault(values, transaction);
      const id = await savedViewRecord.insert(database, values, transaction);
      const view = await savedViewRecord.require(database, { id }, { transaction });
      await events.emit(new SavedViewCreatedEvent({ view, occurredAt: now }), transaction);
      return view;
    });
  }

  /**
   * Changes only what is given. Shared views are changed by admins who may manage roles, all others by their owner.
   * @throws NotFoundError, ForbiddenError, PreconditionFailedError
   */
  async update(id: number, input: ViewChange, adminId: number, expected?: ExpectedVersion): Promise<SavedView> {
    const { database } = this.parts;
    await this.requireChange(await this.find(id, adminId), adminId);
    if (input.roleId !== undefined && input.roleId !== null) await this.requireSharing(adminId);
    return database.transaction((transaction) =>
      changeRecord(savedViewRecord, this.parts, transaction, {
        ...{ id, expected },
        plan: async (before) => {
          const after = { ...before, ...(input.roleId !== undefined && { roleId: input.roleId }) };
          if (input.isDefault) await this.clearDefault(after, transaction);
          return { values: input };
        },
        read: () => savedViewRecord.require(database, { id }, { transaction }),
        announce: (view, changes, occurredAt) => [new SavedViewUpdatedEvent({ view, changes, occurredAt })],
      }),
    );
  }

  /** @throws as {@link update} */
  async delete(id: number, adminId: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await this.requireChange(await this.find(id, adminId), adminId);
    await database.transaction(async (transaction) => {
      const view = await lockRecord(savedViewRecord, database, id, expected, transaction);
      await savedViewRecord.remove(database, { id }, transaction);
      await events.emit(new SavedViewDeletedEvent({ view, occurredAt: clock.now() }), transaction);
    });
  }

  private async rolesOf(adminId: number): Promise<number[]> {
    return ((await this.parts.rbac.rolesOf([adminId])).get(adminId) ?? []).map(({ id }) => id);
  }

  private async clearDefault(
    { adminId, roleId, resource }: Pick<SavedView, 'adminId' | 'roleId' | 'resource'>,
    transaction: Transaction,
  ): Promise<void> {
    const others = roleId === null ? { adminId, roleId: null } : { roleId };
    await savedViewRecord.update(
      this.parts.database,
      { ...others, resource, isDefault: true },
      { isDefault: false },
      transaction,
    );
  }

  private async requireChange({ roleId }: SavedView, adminId: number): Promise<void> {
    if (roleId !== null) await this.requireSharing(adminId);
  }

  private requireSharing(adminId: number): Promise<void> {
    return this.parts.rbac.rules.requireHeld({ id: adminId }, [this.parts.manageRbac]);
  }

  private async mayShare(adminId: number): Promise<boolean> {
    const { bypass, permissions } = await this.parts.rbac.grantsOf(adminId);
    return bypass || permissions.has(this.parts.manageRbac);
  }
}
