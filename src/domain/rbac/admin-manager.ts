import type { Transaction } from '../../database/index.js';
import {
  ForbiddenError,
  type ExpectedVersion,
  type FieldErrors,
  type ListQuery,
  type ListPage,
} from '../../core/index.js';
import {
  adminList,
  normaliseEmail,
  type AdminChange,
  type AdminRecord,
  type AdminService,
  type NewAdmin,
} from '../accounts/index.js';
import type { References } from './chosen.js';
import type { PermissionChangeParts } from './permission-changes.js';
import type { Granter } from './permission-rules.js';

interface WithRoles {
  /** Names or ids of all roles that the admin should have. */
  readonly roles?: References | undefined;
}

interface AdminManagerParts extends PermissionChangeParts {
  readonly admins: AdminService;
}

/**
 * Changes that admins make to admins: nobody may change an admin with more rights (S59), and one must always be able to
 * do everything (S60).
 */
export class AdminManager {
  constructor(private readonly parts: AdminManagerParts) {}

  /** @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<AdminRecord>> {
    return this.parts.lists.run(adminList, query);
  }

  /** @throws ForbiddenError for roles with more than the creator holds (S59), ValidationError */
  async create({ roles = [], ...input }: NewAdmin & WithRoles, by: Granter): Promise<AdminRecord> {
    const { admins, rbac } = this.parts;
    // Also checked before hashing: a refused request must not cost CPU.
    await rbac.requireAssignable({ adminId: null, roles, by });
    return admins.create(input, {
      before: (transaction) => rbac.rules.lock(transaction),
      after: async (admin, transaction) => {
        await rbac.assignRoles({ adminId: admin.id, roles, by }, transaction);
      },
    });
  }

  /**
   * Changes what is given, all of it or nothing.
   * @throws NotFoundError, PreconditionFailedError, ForbiddenError for an admin with more rights and for one's own
   *   address, password and roles (S59), ConflictError for the last active bypass admin (S60), ValidationError
   */
  async update(
    id: number,
    { roles, ...change }: AdminChange & WithRoles,
    by: Granter,
    expected?: ExpectedVersion,
  ): Promise<AdminRecord> {
    const { admins, rbac } = this.parts;
    const { rules } = rbac;
    await this.refuseOwnSecrets(id, change, by);
    // Before the password is hashed, as above.
    await rules.requireOver(by, id);
    if (roles) await rbac.requireAssignable({ adminId: id, roles, by });
    return admins.update(id, change, {
      expected,
      before: (transaction) => this.enter(id, by, transaction),
      after: async (admin, transaction) => {
        if (roles) await rbac.assignRoles({ adminId: id, roles, by }, transaction);
        if (change.status === 'inactive') await this.requireOther(admin, transaction);
      },
    });
  }

  /** @throws NotFoundError, PreconditionFailedError, ForbiddenError (S59), ConflictError (S60) */
  async delete(id: number, by: Granter, expected?: ExpectedVersion): Promise<void> {
    const { admins, rbac } = this.parts;
    let wasBypass = false;
    await admins.delete(id, {
      expected,
      before: async (transaction) => {
        await this.enter(id, by, transaction);
        wasBypass = (await rbac.rules.grantsOf(id, transaction)).bypass;
        rbac.refreshAfter(transaction);
      },
      after: async (_admin, transaction) => {
        if (wasBypass) await rbac.rules.requireBypassAdmin('status', transaction);
      },
    });
  }

  private async enter(id: number, by: Granter, transaction: Transaction): Promise<void> {
    const { rules } = this.parts.rbac;
    await rules.lock(transaction);
    await rules.requireOver(by, id, transaction);
  }

  private async requireOther({ id }: AdminRecord, transaction: Transaction): Promise<void> {
    const { rules } = this.parts.rbac;
    if ((await rules.grantsOf(id, transaction)).bypass) await rules.requireBypassAdmin('status', transaction);
  }

  // A stolen token must not suffice to take an account over: other endpoints require the present password.
  private async refuseOwnSecrets(id: number, { email, password }: AdminChange, by: Granter): Promise<void> {
    if (by === 'operator' || by.id !== id) return;
    const present = await this.parts.admins.find(id);
    const errors: FieldErrors = {};
    if (password !== undefined) errors['password'] = ['Change your own password with POST /me/password.'];
    if (email !== undefined && normaliseEmail(email) !== present.email) {
      errors['email'] = ['Change your own e-mail address with PUT /me.'];
    }
    if (Object.keys(errors).length > 0) throw new ForbiddenError({ errors });
  }
}
