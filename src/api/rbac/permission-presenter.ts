import type { PermissionRecord } from '../../domain/rbac/index.js';

export function presentPermission(permission: PermissionRecord) {
  return {
    id: permission.id,
    name: permission.name,
    description: permission.description,
    created_at: permission.createdAt,
    updated_at: permission.updatedAt,
  };
}
