import { defineAdminResource, valueAt } from '../resource.js';

const roleChoices = { operation: 'listRoles', value: 'name', label: 'label' };
const permissionChoices = { operation: 'listPermissions', value: 'name', label: 'name' };

export const admins = defineAdminResource({
  name: 'admins',
  group: 'access',
  title: 'name',
  subject: 'admin',
  operations: {
    list: 'listAdmins',
    show: 'getAdmin',
    create: 'createAdmin',
    update: 'updateAdmin',
    delete: 'deleteAdmin',
  },
  columns: [
    { field: 'name' },
    { field: 'email' },
    { field: 'status', as: 'badge' },
    { field: 'roles', as: 'tags' },
    { field: 'created_at', as: 'date' },
  ],
  form: { roles: { choices: roleChoices } },
  actions: [{ name: 'roles', operation: 'setAdminRoles', form: { roles: { choices: roleChoices } } }],
});

export const roles = defineAdminResource({
  name: 'roles',
  group: 'access',
  title: 'label',
  subject: 'role',
  operations: { list: 'listRoles', show: 'getRole', create: 'createRole', update: 'updateRole', delete: 'deleteRole' },
  columns: [
    { field: 'label' },
    { field: 'name', as: 'code' },
    { field: 'permissions', as: 'tags' },
    { field: 'updated_at', as: 'date', hidden: true },
  ],
  impact: [{ resource: 'admins', operation: 'listAdmins', filters: ({ name }) => ({ role: name }) }],
  tools: [{ name: 'matrix', operation: 'listPermissions' }],
  form: { permissions: { choices: permissionChoices } },
  actions: [
    { name: 'permissions', operation: 'setRolePermissions', form: { permissions: { choices: permissionChoices } } },
  ],
});

export const permissions = defineAdminResource({
  name: 'permissions',
  group: 'access',
  title: 'name',
  subject: 'permission',
  operations: {
    list: 'listPermissions',
    show: 'getPermission',
    create: 'createPermission',
    update: 'updatePermission',
    delete: 'deletePermission',
  },
  columns: [{ field: 'name', as: 'code' }, { field: 'label' }, { field: 'created_at', as: 'date' }],
});

/** Accounts of machines. */
export const serviceTokens = defineAdminResource({
  name: 'service-tokens',
  group: 'access',
  title: 'name',
  subject: 'service_token',
  operations: { list: 'listServiceTokens', show: 'getServiceToken', create: 'createServiceToken' },
  columns: [
    { field: 'name' },
    { field: 'state', as: 'badge' },
    { field: 'permissions', as: 'tags' },
    { field: 'last_used_at', as: 'date' },
    { field: 'expires_at', as: 'date' },
  ],
  facts: [
    { field: 'state', as: 'badge' },
    { field: 'permissions', as: 'tags' },
    { field: 'ending', as: 'code' },
    { field: 'last_used_at', as: 'date' },
    { field: 'expires_at', as: 'date' },
    { field: 'revoked_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    {
      field: 'created_by',
      as: 'code',
      leadsTo: ({ created_by: id }) => (typeof id === 'number' ? { resource: 'admins', params: { id } } : null),
    },
    { field: 'updated_at', as: 'date' },
  ],
  form: { permissions: { choices: permissionChoices } },
  actions: [
    {
      name: 'new-token',
      operation: 'rotateServiceToken',
      offered: ({ state }) => state === 'active',
      shows: [{ field: 'token', as: 'code' }],
    },
    { name: 'revoke', operation: 'revokeServiceToken', tone: 'danger', offered: ({ state }) => state !== 'revoked' },
  ],
  createTells: 'new-token',
});

export const activities = defineAdminResource({
  name: 'activities',
  group: 'system',
  title: 'action',
  operations: { list: 'listActivities', show: 'getActivity', download: 'exportActivities' },
  banner: { operation: 'getActivityChain', partial: 'console.chain' },
  exactFilters: ['actor', 'subject', 'from', 'to'],
  columns: [
    { field: 'created_at', as: 'date' },
    { field: 'action', as: 'event' },
    {
      field: 'actor.name',
      leadsTo: (record) => leadTo(valueAt(record, 'actor.type'), valueAt(record, 'actor.id')),
    },
    {
      field: 'subject.label',
      leadsTo: (record) => leadTo(valueAt(record, 'subject.type'), valueAt(record, 'subject.id')),
    },
    { field: 'ip', as: 'code', hidden: true },
  ],
  facts: [
    { field: 'created_at', as: 'date' },
    { field: 'action', as: 'code' },
    { field: 'actor.name', leadsTo: (record) => leadTo(valueAt(record, 'actor.type'), valueAt(record, 'actor.id')) },
    { field: 'actor.email' },
    { field: 'actor.type', as: 'badge' },
    {
      field: 'subject.label',
      leadsTo: (record) => leadTo(valueAt(record, 'subject.type'), valueAt(record, 'subject.id')),
    },
    { field: 'ip', as: 'code' },
    { field: 'user_agent' },
    { field: 'request_id', as: 'code' },
    { field: 'id', as: 'code' },
  ],
  template: 'console/activity',
});

const RESOURCES: Readonly<Record<string, string>> = {
  developer: 'users',
  user: 'users',
  admin: 'admins',
  role: 'roles',
  service: 'service-tokens',
  service_token: 'service-tokens',
  audience: 'audiences',
  category: 'categories',
  product: 'products',
};

function leadTo(type: unknown, id: unknown) {
  const resource = typeof type === 'string' ? RESOURCES[type] : undefined;
  return resource === undefined || typeof id !== 'number' ? null : { resource, params: { id } };
}
