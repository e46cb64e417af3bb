import { defineAdminResource, type ApiRecord } from '../resource.js';

const isActive = ({ status }: ApiRecord) => status === 'active';
const audienceChoices = { operation: 'listAudiences', value: 'name', label: 'name' };
const eventChoices = { operation: 'listWebhookEvents', value: 'type', label: 'type' };

/** The operator's endpoints that receive events. */
export const webhooks = defineAdminResource({
  name: 'webhooks',
  group: 'system',
  title: 'url',
  subject: 'webhook',
  operations: {
    list: 'listWebhooks',
    show: 'getWebhook',
    create: 'createWebhook',
    update: 'updateWebhook',
    delete: 'deleteWebhook',
  },
  columns: [
    { field: 'url' },
    { field: 'description' },
    { field: 'events', as: 'tags' },
    { field: 'audiences', as: 'tags', hidden: true },
    { field: 'status', as: 'badge' },
    { field: 'failing_since', as: 'date' },
  ],
  facts: [
    { field: 'description' },
    { field: 'events', as: 'tags' },
    { field: 'audiences', as: 'tags' },
    { field: 'fields', as: 'tags' },
    { field: 'at_once', as: 'number' },
    { field: 'rate', as: 'number' },
    { field: 'ordered', as: 'flag' },
    { field: 'status', as: 'badge' },
    { field: 'disabled_reason', as: 'badge' },
    { field: 'failing_since', as: 'date' },
    { field: 'previous_secret_until', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: { events: { kind: 'lines' }, audiences: { choices: audienceChoices }, fields: { kind: 'lines' } },
  actions: [
    { name: 'verify', operation: 'verifyWebhook', tone: 'good' },
    { name: 'new-secret', operation: 'rotateWebhook', shows: [{ field: 'secret', as: 'code' }] },
    {
      name: 'test',
      operation: 'testWebhook',
      offered: isActive,
      form: { type: { kind: 'select', choices: eventChoices } },
    },
    { name: 'recover', operation: 'recoverWebhook', offered: isActive },
    { name: 'replay', operation: 'replayWebhook', offered: isActive },
  ],
  createTells: 'new-secret',
  related: [{ resource: 'webhook-deliveries', operation: 'listWebhookDeliveries' }],
});

/** Messages to one of them. */
export const webhookDeliveries = defineAdminResource({
  name: 'webhook-deliveries',
  group: 'system',
  title: 'type',
  params: ['id', 'delivery'],
  // The endpoint stands in the address of the page around it.
  paramsOf: ({ id }) => ({ delivery: id as number }),
  operations: { show: 'getWebhookDelivery' },
  columns: [
    { field: 'type', as: 'code' },
    { field: 'state', as: 'badge' },
    { field: 'tries', as: 'count' },
    { field: 'due_at', as: 'date' },
    { field: 'created_at', as: 'date' },
  ],
  facts: [
    { field: 'webhook_id', as: 'code' },
    { field: 'state', as: 'badge' },
    { field: 'tries', as: 'count' },
    { field: 'body', as: 'code' },
    { field: 'attempts', as: 'json' },
    { field: 'due_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [{ name: 'resend', operation: 'resendWebhookDelivery' }],
});
