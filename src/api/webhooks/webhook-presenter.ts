import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from '../../domain/webhooks/index.js';

export function presentEndpoint({ id, url, description, events, status, ...endpoint }: WebhookEndpoint) {
  return {
    ...{ id, url, description, events, fields: endpoint.fields ?? [] },
    ...{ at_once: endpoint.atOnce, rate: endpoint.rate, ordered: endpoint.isOrdered },
    ...{ enabled: status === 'active', status },
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    previous_secret_until: endpoint.previousUntil,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  };
}

export function presentDelivery({ id, webhookId, type, state, tries, dueAt, createdAt, updatedAt }: WebhookDelivery) {
  const facts = { id, webhook_id: webhookId, type, state, tries };
  return { ...facts, due_at: dueAt, created_at: createdAt, updated_at: updatedAt };
}

export function presentAttempt({ number, status, failure, duration, answer, createdAt }: WebhookAttempt) {
  return { number, status, failure, duration_ms: duration, answer, created_at: createdAt };
}
