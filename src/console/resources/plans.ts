import { defineAdminResource, valueAt, type ApiRecord, type RecordColumn, type RecordParams } from '../resource.js';

/** What plans and exceptions from them allow. */
export const limitColumns: readonly RecordColumn[] = [
  { field: 'rate_per_second', as: 'number' },
  { field: 'rate_per_minute', as: 'number', hidden: true },
  { field: 'rate_per_hour', as: 'number', hidden: true },
  { field: 'quota_per_day', as: 'number' },
  { field: 'quota_per_month', as: 'number' },
  { field: 'quota_per_anchored_month', as: 'number', hidden: true },
];

const is = (status: string) => (record: ApiRecord) => record.status === status;

export const plans = defineAdminResource({
  name: 'plans',
  group: 'catalog',
  title: 'name',
  subject: 'plan',
  params: ['plan'],
  paramsOf: ({ id }) => ({ plan: id as number }),
  operations: { list: 'listPlans', show: 'getPlan', create: 'createPlan', update: 'updatePlan', delete: 'deletePlan' },
  columns: [
    { field: 'name' },
    { field: 'slug', as: 'code' },
    { field: 'status', as: 'badge' },
    { field: 'price' },
    { field: 'active_version' },
    { field: 'approval', as: 'badge', hidden: true },
    { field: 'keyless', as: 'flag', hidden: true },
    { field: 'position', hidden: true },
    { field: 'updated_at', as: 'date' },
  ],
  facts: [
    { field: 'slug', as: 'code' },
    { field: 'status', as: 'badge' },
    { field: 'approval', as: 'badge' },
    { field: 'active_version' },
    { field: 'short_description' },
    { field: 'price' },
    { field: 'price_url', as: 'code' },
    { field: 'keyless', as: 'flag' },
    { field: 'key_lifetime' },
    { field: 'trial_days' },
    { field: 'fallback_plan', as: 'code' },
    { field: 'audiences', as: 'tags' },
    { field: 'position' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: {
    fallback_plan: { choices: { operation: 'listPlans', value: 'slug', label: 'name' }, kind: 'select' },
    audiences: { choices: { operation: 'listAudiences', value: 'name', label: 'name' } },
  },
  actions: [
    { name: 'new-version', operation: 'createPlanVersion' },
    { name: 'archive', operation: 'archivePlan', offered: is('active') },
    { name: 'restore', operation: 'restorePlan', offered: is('archived') },
  ],
  related: [
    { resource: 'plan-versions', operation: 'listPlanVersions' },
    {
      resource: 'keys',
      operation: 'listAllCredentials',
      label: 'outdated-keys',
      filters: ({ slug }) => ({ outdated_plan: slug }),
    },
  ],
});

export const planVersions = defineAdminResource({
  name: 'plan-versions',
  group: 'catalog',
  title: 'number',
  params: ['plan', 'number'],
  paramsOf: (record): RecordParams => ({
    plan: (valueAt(record, 'plan.id') ?? '') as number,
    number: (record.number ?? '') as number,
  }),
  operations: { show: 'getPlanVersion', update: 'updatePlanVersion' },
  columns: [
    { field: 'number' },
    { field: 'status', as: 'badge' },
    ...limitColumns,
    { field: 'concurrency', hidden: true },
    { field: 'enforcement', as: 'badge' },
    { field: 'grace_percent', hidden: true },
    { field: 'shared', as: 'flag', hidden: true },
    { field: 'activated_at', as: 'date' },
  ],
  actions: [{ name: 'activate', operation: 'activatePlanVersion', tone: 'good', offered: is('draft') }],
});
