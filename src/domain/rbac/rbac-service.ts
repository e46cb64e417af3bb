import { findJoined, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../core/index.js';
import type { AdminRecord } from '../accounts/index.js';
import type { RbacConfig } from './config.js';
import { AdminRolesChangedEvent } from './events.js';
import { GrantCache, readGrants, type Grants } from './grants.js';
import type { PermissionSpec } from './permissions.js';
import { PermissionRules } from './permission-rules.js';
import { RoleAssigner, type RoleAssignment, type RoleSelection } from './role-assignment.js';
import { permissionRecord } from './permission.js';
import { ROLES_OF_ADMIN, roleRecord, type RoleReference } from './role.js';
import { seedRbac, type SeedReport } from './seed.js';

export interface RbacServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly config: RbacConfig;
  /** Permissions of modules. */
  readonly further?: readonly PermissionSpec[];
}

/** Roles of admins and the permissions that follow from them. */
export class RbacService {
  /** Rules S59 and S60. */
  readonly rules: PermissionRules;
  private readonly cache: GrantCache;
  private readonly assigner: RoleAssigner;

  constructor(private readonly parts: RbacServiceParts) {
    const { database, clock, config } = parts;
    const { bypassRoles } = config.rbac;
    this.cache = new GrantCache(clock, (adminId) => readGrants(database, adminId, bypassRoles));
    this.rules = new PermissionRules(database, bypassRoles);
    this.assigner = new RoleAssigner(database, clock, this.rules);
  }

  /** An admin's grants, at most 0.8 s old (S61). */
  async grantsOf(adminId: number): Promise<Grants> {
    return this.cache.get(adminId);
  }

  /** Names in alphabetical order; for an admin with a bypass role, every existing permission. */
  async findEffectivePermissions(adminId: number): Promise<string[]> {
    const { bypass, permissions } = await this.grantsOf(adminId);
    if (!bypass) return [...permissions].sort();
    const rows = await permissionRecord.findAll(this.parts.database, {});
    return rows.map(({ name }) => name).sort();
  }

  async roles(): Promise<RoleReference[]> {
    const roles = await roleRecord.findAll(this.parts.database, {}, { order: 'r.name' });
    return roles.map(({ id, name }) => ({ id, name }));
  }

  /** The roles of any number of admins, by name, in one query; admins without roles are absent. */
  rolesOf(adminIds: readonly number[]): Promise<ReadonlyMap<number, readonly RoleReference[]>> {
    const options = { only: ['id', 'name'], order: 'r.name' } as const;
    return findJoined(this.parts.database, ROLES_OF_ADMIN, roleRecord, adminIds, options);
  }

  /**
   * Gives an admin exactly these roles, inside `outer` if given.
   * @returns the admin after the change
   * @throws NotFoundError, ValidationError on `roles`, PreconditionFailedError, ForbiddenError for what the requesting
   *   admin lacks (S59), ConflictError for the last active bypass admin (S60)
   */
  async assignRoles(assignment: RoleAssignment, outer?: Transaction): Promise<AdminRecord> {
    const { database, events, clock } = this.parts;
    const run = async (transaction: Transaction) => {
      const { admin, before, after } = await this.assigner.assign(assignment, transaction);
      if (before.join() === after.join()) return admin;
      this.refreshAfter(transaction);
      await events.emit(new AdminRolesChangedEvent({ admin, before, after, occurredAt: clock.now() }), transaction);
      return admin;
    };
    return outer ? run(outer) : database.transaction(run);
  }

  /** Whether {@link assignRoles} would succeed; it checks again. @throws ValidationError on `roles`, ForbiddenError */
  async requireAssignable(selection: RoleSelection): Promise<void> {
    await this.assigner.plan(selection);
  }

  /** Adds missing built-in roles and permissions; see {@link seedRbac}. */
  async seed(): Promise<SeedReport> {
    const report = await seedRbac(this.parts);
    this.cache.clear();
    return report;
  }

  /** Clears the cache, for when roles or permissions were changed by other means than this service. */
  refresh(): void {
    this.cache.clear();
  }

  /** Clears the cache once a permission change has committed. */
  refreshAfter(transaction: Transaction): void {
    transaction.afterCommit(() => this.cache.clear());
  }
}
