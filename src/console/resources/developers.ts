import { defineAdminResource, textAt, valueAt, type ApiRecord, type RecordParams } from '../resource.js';
import { limitColumns } from './plans.js';

const is =
  (field: string, ...values: unknown[]) =>
  (record: ApiRecord) =>
    values.includes(valueAt(record, field));
const audienceChoices = { operation: 'listAudiences', value: 'name', label: 'name' };
const productChoices = { operation: 'listProducts', value: 'slug', label: 'name' };
const planChoices = { operation: 'listPlans', value: 'slug', label: 'name' };
const developerOf = (field: string) => (record: ApiRecord) => {
  const id = valueAt(record, field);
  return id === undefined ? null : { resource: 'users', params: { id: id as number } };
};
/** Whoever has apps: the account of a team has no page, the team has. */
const ownerOf = (field: string) => (record: ApiRecord) => {
  const team = valueAt(record, 'team.id');
  return team === undefined ? developerOf(field)(record) : { resource: 'teams', params: { team: team as number } };
};
const secretOnce = [
  { field: 'consumer_key', as: 'code' },
  { field: 'consumer_secret', as: 'code' },
] as const;

const ofUser = [
  { resource: 'apps', operation: 'listUserApps' },
  {
    resource: 'keys',
    operation: 'listAllCredentials',
    filters: ({ id }: ApiRecord) => ({ user: id, status: 'approved' }),
  },
];
const ofApp = [{ resource: 'keys', operation: 'listUserCredentials' }];

export const users = defineAdminResource({
  name: 'users',
  importable: true,
  group: 'developers',
  title: 'full_name',
  subject: 'user',
  usageOf: ({ id }) => ({ user: String(id), by: 'app' }),
  operations: { list: 'listUsers', show: 'getUser', create: 'createUser', update: 'updateUser', delete: 'deleteUser' },
  columns: [
    { field: 'full_name' },
    { field: 'email' },
    { field: 'status', as: 'badge' },
    { field: 'audiences', as: 'tags' },
    { field: 'email_verified_at', as: 'date', hidden: true },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date', hidden: true },
    { field: 'id', as: 'code', hidden: true },
  ],
  facts: [
    { field: 'email' },
    { field: 'status', as: 'badge' },
    { field: 'email_verified_at', as: 'date' },
    { field: 'pending_email' },
    { field: 'locale' },
    { field: 'audiences', as: 'tags' },
    { field: 'custom_attributes', as: 'json' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
    { field: 'id', as: 'code' },
  ],
  form: { audiences: { choices: audienceChoices } },
  actions: [
    {
      name: 'activate',
      operation: 'activateUser',
      tone: 'good',
      bulk: true,
      offered: is('status', 'pending', 'inactive'),
    },
    {
      name: 'deactivate',
      operation: 'deactivateUser',
      tone: 'danger',
      bulk: true,
      impact: ofUser,
      offered: is('status', 'active', 'pending'),
    },
    { name: 'view-as', operation: 'viewAsUser', offered: is('status', 'active', 'pending') },
    { name: 'unlock', operation: 'unlockUser' },
    { name: 'end-sessions', operation: 'revokeUserSessions', tone: 'danger', bulk: true },
    { name: 'audiences', operation: 'setUserAudiences', form: { audiences: { choices: audienceChoices } } },
    {
      name: 'create-app',
      operation: 'createUserApp',
      form: { products: { choices: productChoices } },
      shows: [
        { field: 'name', as: 'code' },
        { field: 'credentials.0.consumer_key', as: 'code' },
        { field: 'credentials.0.consumer_secret', as: 'code' },
      ],
    },
  ],
  related: [{ resource: 'apps', operation: 'listUserApps' }],
  impact: ofUser,
});

const appParams = (record: ApiRecord): RecordParams => ({
  user: (valueAt(record, 'user_id') ?? '') as number,
  appName: (valueAt(record, 'name') ?? '') as string,
});

export const apps = defineAdminResource({
  name: 'apps',
  importable: true,
  group: 'developers',
  title: 'display_name',
  subject: 'app',
  usageOf: ({ id }) => ({ app: String(id) }),
  params: ['user', 'appName'],
  paramsOf: appParams,
  query: { with: 'user' },
  operations: { list: 'listAllApps', show: 'getUserApp', update: 'updateUserApp', delete: 'deleteUserApp' },
  columns: [
    { field: 'display_name' },
    { field: 'name', as: 'code', label: 'app_name' },
    { field: 'user.email', leadsTo: ownerOf('user_id') },
    { field: 'status', as: 'badge' },
    { field: 'created_at', as: 'date' },
    { field: 'team.name', hidden: true },
    { field: 'first_called_at', as: 'date', hidden: true },
    { field: 'updated_at', as: 'date', hidden: true },
  ],
  facts: [
    { field: 'name', as: 'code', label: 'app_name' },
    { field: 'user.email', leadsTo: ownerOf('user_id') },
    { field: 'team.name' },
    { field: 'description', as: 'long' },
    { field: 'callback_url', as: 'code' },
    { field: 'status', as: 'badge' },
    { field: 'status_reason' },
    { field: 'first_called_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [
    {
      name: 'approve',
      operation: 'approveUserApp',
      tone: 'good',
      bulk: true,
      offered: is('status', 'pending', 'revoked'),
    },
    {
      name: 'revoke',
      operation: 'revokeUserApp',
      tone: 'danger',
      bulk: true,
      impact: ofApp,
      offered: is('status', 'pending', 'approved'),
    },
    {
      name: 'create-key',
      operation: 'createUserCredential',
      form: { products: { choices: productChoices } },
      shows: secretOnce,
    },
    {
      ...{ name: 'hand-over', operation: 'moveUserApp', tone: 'danger' },
      follows: (app) => ({ resource: 'apps', params: appParams(app) }),
      notice: async ({ apps: { transfers } }) => ((await transfers.pausesKeys()) ? 'keys-pause' : null),
      form: { team: { kind: 'select', choices: { operation: 'listAllTeams', value: 'id', label: 'name' } } },
    },
    {
      name: 'reset-quotas',
      operation: 'createUserAppQuotaReset',
      form: { product: { choices: productChoices } },
      offered: is('status', 'pending', 'approved'),
    },
    {
      name: 'raise-limits',
      operation: 'createUserAppOverride',
      form: { product: { choices: productChoices }, ends_at: { kind: 'date' } },
      offered: is('status', 'pending', 'approved'),
    },
  ],
  related: [
    { resource: 'keys', operation: 'listUserCredentials' },
    { resource: 'overrides', operation: 'listUserAppOverrides' },
    { resource: 'quota-resets', operation: 'listUserAppQuotaResets' },
  ],
  impact: ofApp,
});

/** What was raised for an app; in the list of its page only the page says which app that is. */
export const overrides = defineAdminResource({
  name: 'overrides',
  group: 'developers',
  title: 'product',
  params: ['user', 'appName', 'id'],
  paramsOf: ({ id }) => ({ id: id as number }),
  operations: { show: 'getUserAppOverride' },
  columns: [
    { field: 'product', as: 'code' },
    { field: 'status', as: 'badge' },
    ...limitColumns,
    { field: 'exempt', as: 'flag' },
    { field: 'ends_at', as: 'date' },
    { field: 'reason' },
    { field: 'created_at', as: 'date', hidden: true },
  ],
  actions: [{ name: 'end', operation: 'endUserAppOverride', tone: 'danger', offered: is('status', 'active') }],
});

/** Quotas of an app that were reset. */
export const quotaResets = defineAdminResource({
  name: 'quota-resets',
  group: 'developers',
  title: 'product',
  params: ['user', 'appName', 'id'],
  paramsOf: ({ id }) => ({ id: id as number }),
  operations: { show: 'getUserAppQuotaReset' },
  columns: [{ field: 'product', as: 'code' }, { field: 'reason' }, { field: 'created_at', as: 'date' }],
});

const PRODUCT = { field: 'products', param: 'product', key: 'slug', title: 'name' };
/** The plan that a product on a key is to have. */
const NEXT_PLAN = { ...PRODUCT, params: (grant: ApiRecord) => ({ plan: textAt(grant, 'next_plan.slug') }) };

/** In the list of an app's page only the page says whose they are. */
const keyParams = (record: ApiRecord): RecordParams => {
  const [user, appName] = [valueAt(record, 'user.id'), valueAt(record, 'app.name')];
  return {
    ...(user !== undefined && { user: user as number }),
    ...(appName !== undefined && { appName: appName as string }),
    id: record.id as number,
  };
};

export const keys = defineAdminResource({
  name: 'keys',
  group: 'developers',
  title: 'consumer_key',
  params: ['user', 'appName', 'id'],
  paramsOf: keyParams,
  query: { with: 'products' },
  exactFilters: ['ending', 'outdated_plan'],
  operations: { list: 'listAllCredentials', show: 'getUserCredential', delete: 'deleteUserCredential' },
  columns: [
    { field: 'consumer_key', as: 'code' },
    { field: 'app.display_name', label: 'app' },
    { field: 'user.email', leadsTo: ownerOf('user.id') },
    { field: 'team.name', hidden: true },
    { field: 'status', as: 'badge' },
    { field: 'products', as: 'tags' },
    { field: 'last_used_at', as: 'date' },
    { field: 'expires_at', as: 'date' },
    { field: 'issued_at', as: 'date' },
  ],
  facts: [
    { field: 'consumer_key', as: 'code' },
    { field: 'status', as: 'badge' },
    { field: 'status_reason' },
    { field: 'issued_at', as: 'date' },
    { field: 'expires_at', as: 'date' },
    { field: 'last_used_at', as: 'date' },
    { field: 'replaced_by' },
  ],
  actions: [
    { name: 'approve', operation: 'approveUserCredential', tone: 'good', offered: is('status', 'pending', 'revoked') },
    { name: 'revoke', operation: 'revokeUserCredential', tone: 'danger', offered: is('status', 'pending', 'approved') },
    { name: 'rotate', operation: 'rotateUserCredential', offered: is('status', 'approved'), shows: secretOnce },
    { name: 'reveal', operation: 'revealUserCredential', tone: 'danger', shows: secretOnce },
    {
      name: 'approve',
      operation: 'approveUserCredentialProduct',
      part: PRODUCT,
      tone: 'good',
      offered: is('status', 'pending', 'revoked'),
    },
    {
      name: 'revoke',
      operation: 'revokeUserCredentialProduct',
      part: PRODUCT,
      tone: 'danger',
      offered: is('status', 'pending', 'approved'),
    },
    {
      name: 'plan',
      operation: 'setUserCredentialPlan',
      part: PRODUCT,
      form: { plan: { choices: planChoices } },
      offered: is('status', 'pending', 'approved'),
    },
    {
      name: 'approve-plan',
      operation: 'approveUserCredentialPlan',
      part: NEXT_PLAN,
      tone: 'good',
      offered: is('next_plan.status', 'pending'),
    },
    {
      name: 'withdraw-plan',
      operation: 'withdrawUserCredentialPlan',
      part: NEXT_PLAN,
      tone: 'danger',
      offered: is('next_plan.status', 'pending', 'approved'),
    },
    { name: 'remove', operation: 'removeUserCredentialProduct', part: PRODUCT, tone: 'danger' },
    {
      name: 'move-plan',
      operation: 'moveUserCredentialPlan',
      bulk: true,
      form: { plan: { choices: planChoices }, at: { kind: 'date' } },
      offered: is('status', 'pending', 'approved'),
    },
    { name: 'add-products', operation: 'addUserCredentialProducts', form: { products: { choices: productChoices } } },
  ],
  template: 'console/key',
});

export const audiences = defineAdminResource({
  name: 'audiences',
  group: 'developers',
  title: 'name',
  subject: 'audience',
  operations: {
    list: 'listAudiences',
    show: 'getAudience',
    create: 'createAudience',
    update: 'updateAudience',
    delete: 'deleteAudience',
  },
  columns: [
    { field: 'name' },
    { field: 'description' },
    { field: 'users_count', as: 'count' },
    { field: 'products_count', as: 'count' },
    { field: 'updated_at', as: 'date' },
  ],
  form: { users: { omit: true }, products: { omit: true } },
  impact: [
    { resource: 'users', operation: 'listUsers', filters: ({ name }) => ({ audience: name }) },
    { resource: 'products', operation: 'listProducts', filters: ({ name }) => ({ audience: name }) },
  ],
  actions: [
    // The record shows the first members only, and the operation replaces them all.
    {
      name: 'members',
      operation: 'setAudienceUsers',
      form: { users: { names: 'email' } },
      offered: ({ users, users_count: count }) => Array.isArray(users) && users.length === count,
    },
    { name: 'products', operation: 'setAudienceProducts', form: { products: { choices: productChoices } } },
  ],
});
