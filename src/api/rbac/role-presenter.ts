import type { RoleRecord } from '../../domain/rbac/index.js';

export function presentRole(role: RoleRecord) {
  return {
    id: role.id,
    name: role.name,
    label: role.label,
    permissions: role.permissions,
    created_at: role.createdAt,
    updated_at: role.updatedAt,
  };
}
