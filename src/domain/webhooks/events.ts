import { defineEvent, defineEventBase, eventField, type Changes } from '../../core/index.js';
import type { DisabledReason, WebhookEndpoint } from './webhook.js';

const WebhookEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    endpoint: eventField<WebhookEndpoint>(),
  },
  {
    // The host alone: the rest of an address is often a secret.
    subject: ({ endpoint }) => ({ type: 'webhook', id: endpoint.id, label: hostOf(endpoint.url) }),
    owner: ({ endpoint }) => endpoint.ownerId,
  },
);

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** An endpoint was added, which gets nothing before it is verified. */
export class WebhookCreatedEvent extends defineEvent(WebhookEvent, 'webhook.created', {
  changes: ({ endpoint }) => ({ events: [null, endpoint.events] }),
}) {}

/** Address, description, events or state of an endpoint changed; the log leaves out the address. */
export class WebhookUpdatedEvent extends defineEvent(WebhookEvent, 'webhook.updated', {
  fields: { changes: eventField<Changes>() },
  changes: ({ changes: { url, ...others } }) => ({ ...others, ...(url && { url: ['…', '…'] as const }) }),
}) {}

/** An endpoint echoed its challenge and gets events from now on. */
export class WebhookVerifiedEvent extends defineEvent(WebhookEvent, 'webhook.verified') {}

/** An endpoint got another secret; the earlier one signs too until `until`. */
export class WebhookSecretRotatedEvent extends defineEvent(WebhookEvent, 'webhook.secret_rotated', {
  fields: { until: eventField<Date>() },
  changes: ({ until }) => ({ overlapUntil: [null, until] }),
}) {}

/** The portal turned an endpoint off: it answered 410, or failed for five days. */
export class WebhookDisabledEvent extends defineEvent(WebhookEvent, 'webhook.disabled', {
  fields: { reason: eventField<DisabledReason>() },
  changes: ({ reason }) => ({ status: ['active', 'disabled'], reason: [null, reason] }),
}) {}

/** An endpoint was deleted, with what waited for it. */
export class WebhookDeletedEvent extends defineEvent(WebhookEvent, 'webhook.deleted') {}

/** Messages were queued again by somebody: `action` is `resend`, `recover`, `replay` or `test`. */
export class WebhookResentEvent extends defineEvent(WebhookEvent, 'webhook.resent', {
  fields: { action: eventField<string>(), messages: eventField<number>() },
  changes: ({ action, messages }) => ({ action: [null, action], messages: [null, messages] }),
}) {}
