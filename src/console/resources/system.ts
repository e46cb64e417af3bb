import { defineAdminResource, valueAt } from '../resource.js';

export const activities = defineAdminResource({
  name: 'activities',
  group: 'system',
  title: 'action',
  operations: { list: 'listActivities', show: 'getActivity' },
  columns: [
    { field: 'created_at', as: 'date' },
    { field: 'action', as: 'code' },
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
});

const RESOURCES: Readonly<Record<string, string>> = {
  developer: 'users',
  user: 'users',
  admin: 'admins',
  role: 'roles',
  audience: 'audiences',
  category: 'categories',
  product: 'products',
};

function leadTo(type: unknown, id: unknown) {
  const resource = typeof type === 'string' ? RESOURCES[type] : undefined;
  return resource === undefined || typeof id !== 'number' ? null : { resource, params: { id } };
}
