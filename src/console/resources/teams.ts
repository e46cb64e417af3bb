import { defineAdminResource, type ApiRecord } from '../resource.js';

const roleText = { role: { kind: 'text' } } as const;

/** Teams of developers. */
export const teams = defineAdminResource({
  name: 'teams',
  group: 'developers',
  title: 'name',
  subject: 'team',
  usageOf: ({ account_id: user }) => ({ user: String(user), by: 'app' }),
  params: ['team'],
  paramsOf: ({ id }) => ({ team: id as number }),
  operations: {
    list: 'listAllTeams',
    show: 'getAnyTeam',
    create: 'createAnyTeam',
    update: 'updateAnyTeam',
    delete: 'deleteAnyTeam',
  },
  columns: [
    { field: 'name' },
    { field: 'description' },
    { field: 'status', as: 'badge' },
    { field: 'members', as: 'count' },
    { field: 'apps', as: 'count' },
    { field: 'created_at', as: 'date' },
    { field: 'id', as: 'code', hidden: true },
  ],
  facts: [
    { field: 'description', as: 'long' },
    { field: 'status', as: 'badge' },
    { field: 'members', as: 'count' },
    { field: 'apps', as: 'count' },
    { field: 'members_limit', as: 'number' },
    { field: 'account_id', as: 'code' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [{ name: 'add-member', operation: 'addAnyTeamMember', form: roleText }],
  related: [
    { resource: 'team-members', operation: 'listAnyTeamMembers' },
    {
      resource: 'apps',
      operation: 'listAllApps',
      filters: ({ account_id: user }: ApiRecord) => ({ user }),
    },
  ],
});

/** Who is in them. */
export const teamMembers = defineAdminResource({
  name: 'team-members',
  group: 'developers',
  title: 'full_name',
  params: ['team', 'member'],
  // The team stands in the address of the page around it.
  paramsOf: ({ id }) => ({ member: id as number }),
  operations: { show: 'getAnyTeamMember', update: 'updateAnyTeamMember', delete: 'removeAnyTeamMember' },
  columns: [
    { field: 'full_name', leadsTo: ({ id }) => ({ resource: 'users', params: { id: id as number } }) },
    { field: 'email' },
    { field: 'role', label: 'team_role' },
    { field: 'status', as: 'badge' },
    { field: 'joined_at', as: 'date' },
  ],
  form: roleText,
});
