import type { AdminRecord } from '../../domain/accounts/index.js';
import type { RoleReference } from '../../domain/rbac/index.js';

export function presentAdmin(admin: AdminRecord, roles: readonly RoleReference[]) {
  return {
    id: admin.id,
    name: admin.name,
    email: admin.email,
    status: admin.status,
    roles: roles.map(({ id, name }) => ({ id, name })),
    last_login_at: admin.lastLoginAt,
    created_at: admin.createdAt,
    updated_at: admin.updatedAt,
  };
}
