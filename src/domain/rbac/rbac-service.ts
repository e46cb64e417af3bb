import type { Database, Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../kernel/index.js';
import type { RbacConfig } from './config.js';
import { AdminRolesChangedEvent } from './events.js';
import { GrantCache, readGrants, type Grants } from './grants.js';
import { RoleAssigner, type RoleAssignment } from './role-assignment.js';
import type { RoleReference } from './role.js';
import { seedRbac, type SeedReport } from './seed.js';

export interface RbacServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly config: RbacConfig;
}

/** Who may do what: the roles of admins and what follows from them. */
export class RbacService {
  private readonly cache: GrantCache;
  private readonly assigner: RoleAssigner;

  constructor(private readonly parts: RbacServiceParts) {
    const { database, clock, config } = parts;
    const { bypassRoles } = config.rbac;
    this.cache = new GrantCache(clock, (adminId) => readGrants(database, adminId, bypassRoles));
    this.assigner = new RoleAssigner(database, bypassRoles);
  }

  /** What an admin may do, at most 0.8 s old (S61). */
  async grantsOf(adminId: number): Promise<Grants> {
    return this.cache.get(adminId);
  }

  /** Names in alphabetical order; of an admin with a bypass role every permission there is. */
  async effectivePermissions(adminId: number): Promise<string[]> {
    const { bypass, permissions } = await this.grantsOf(adminId);
    if (!bypass) return [...permissions].sort();
    const rows = await this.parts.database.select<{ name: string }>('SELECT name FROM portal_permissions');
    return rows.map(({ name }) => name).sort();
  }

  async roles(): Promise<RoleReference[]> {
    return this.parts.database.select<RoleReference>('SELECT id, name FROM portal_roles ORDER BY name');
  }

  /**
   * Gives an admin exactly these roles, inside `outer` when it is given.
   * @throws NotFoundError, ValidationError on `roles`, ForbiddenError for what the asking admin lacks (S59), ConflictError
   *   for the last active bypass admin (S60)
   */
  async assignRoles(assignment: RoleAssignment, outer?: Transaction): Promise<void> {
    const { database, events, clock } = this.parts;
    const { adminId } = assignment;
    const run = async (transaction: Transaction) => {
      const { before, after } = await this.assigner.assign(assignment, transaction);
      if (before.join() === after.join()) return;
      transaction.afterCommit(() => this.cache.clear());
      const change = new AdminRolesChangedEvent({ adminId, before, after, occurredAt: clock.now() });
      await events.emit(change, transaction);
    };
    await (outer ? run(outer) : database.transaction(run));
  }

  /** Adds what ships and is missing; see {@link seedRbac}. */
  async seed(): Promise<SeedReport> {
    const { database, clock, config } = this.parts;
    const report = await seedRbac(database, clock, config.rbac.permissions);
    this.cache.clear();
    return report;
  }

  /** Forgets what was kept, after roles or permissions changed by other means than this service. */
  refresh(): void {
    this.cache.clear();
  }
}
