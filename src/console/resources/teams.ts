import { defineAdminResource, type ApiRecord } from '../resource.js';

const audienceChoices = { operation: 'listAudiences', value: 'name', label: 'name' };
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
    { field: 'audiences', as: 'tags' },
    { field: 'members_limit', as: 'number' },
    { field: 'apps_limit', as: 'number' },
    { field: 'keys_limit', as: 'number' },
    { field: 'account_id', as: 'code' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [
    { name: 'add-member', operation: 'addAnyTeamMember', form: roleText },
    {
      name: 'make-code',
      operation: 'createAnyTeamCode',
      form: roleText,
      shows: [{ field: 'code', as: 'code', label: 'team_code' }],
    },
    { name: 'add-domain', operation: 'addAnyTeamDomain', form: roleText },
    { name: 'audiences', operation: 'setAnyTeamAudiences', form: { audiences: { choices: audienceChoices } } },
  ],
  related: [
    { resource: 'team-members', operation: 'listAnyTeamMembers' },
    { resource: 'team-requests', operation: 'listAnyTeamRequests' },
    { resource: 'team-domains', operation: 'listAnyTeamDomains' },
    { resource: 'team-codes', operation: 'listAnyTeamCodes' },
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

/** Who asked to be in them. */
export const teamRequests = defineAdminResource({
  name: 'team-requests',
  group: 'developers',
  title: 'full_name',
  params: ['team', 'request'],
  paramsOf: ({ id }) => ({ request: id as number }),
  operations: { show: 'getAnyTeamRequest' },
  columns: [
    { field: 'full_name', leadsTo: ({ user: id }) => ({ resource: 'users', params: { id: id as number } }) },
    { field: 'email' },
    { field: 'state', as: 'badge' },
    { field: 'created_at', as: 'date' },
  ],
  actions: [
    { name: 'let-in', operation: 'acceptAnyTeamRequest', tone: 'good', offered: isPending, form: roleText },
    { name: 'decline', operation: 'declineAnyTeamRequest', tone: 'danger', offered: isPending },
  ],
});

function isPending({ state }: ApiRecord): boolean {
  return state === 'pending';
}

/** The mail domains whose people may ask or join. */
export const teamDomains = defineAdminResource({
  name: 'team-domains',
  group: 'developers',
  title: 'domain',
  params: ['team', 'domain'],
  paramsOf: ({ id }) => ({ domain: id as number }),
  operations: { show: 'getAnyTeamDomain', update: 'updateAnyTeamDomain', delete: 'removeAnyTeamDomain' },
  columns: [
    { field: 'domain' },
    { field: 'mode', as: 'badge' },
    { field: 'role', label: 'team_role' },
    { field: 'created_at', as: 'date' },
  ],
  form: roleText,
});

/** Codes that let people in. */
export const teamCodes = defineAdminResource({
  name: 'team-codes',
  group: 'developers',
  title: 'name',
  params: ['team', 'code'],
  paramsOf: ({ id }) => ({ code: id as number }),
  operations: { show: 'getAnyTeamCode' },
  columns: [
    { field: 'name' },
    { field: 'state', as: 'badge' },
    { field: 'role', label: 'team_role' },
    { field: 'uses', as: 'number' },
    { field: 'max_uses', as: 'number' },
    { field: 'expires_at', as: 'date' },
  ],
  facts: [
    { field: 'state', as: 'badge' },
    { field: 'role', label: 'team_role' },
    { field: 'uses', as: 'number' },
    { field: 'max_uses', as: 'number' },
    { field: 'expires_at', as: 'date' },
    { field: 'revoked_at', as: 'date' },
    { field: 'created_at', as: 'date' },
  ],
  actions: [
    { name: 'revoke', operation: 'revokeAnyTeamCode', tone: 'danger', offered: ({ state }) => state === 'active' },
  ],
});
