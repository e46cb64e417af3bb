import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookServices } from '../../domain/webhooks/index.js';
import type { WebhookActor } from './webhook-entry-point.js';

interface Shown {
  readonly services: { readonly webhooks: Pick<WebhookServices, 'endpoints'> };
  readonly actor: WebhookActor;
}

/** Endpoints as their owner sees them: the operator with the audiences that they hear of. */
export async function presentEndpoints({ services, actor }: Shown, endpoints: readonly WebhookEndpoint[]) {
  if (actor.context === 'consumer') return endpoints.map(presentEndpoint);
  const named = await services.webhooks.endpoints.audiencesOf(endpoints);
  return endpoints.map((endpoint) => {
    const audiences = (endpoint.audiences ?? []).map((id) => ({ id, name: named.get(id)?.name ?? String(id) }));
    return { ...presentEndpoint(endpoint), audiences };
  });
}

export async function presentOne(shown: Shown, endpoint: WebhookEndpoint) {
  const [presented] = await presentEndpoints(shown, [endpoint]);
  return { ...presented, id: endpoint.id };
}

function presentEndpoint({ id, url, description, events, status, ...endpoint }: WebhookEndpoint) {
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
