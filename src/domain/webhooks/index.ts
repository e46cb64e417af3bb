export {
  WebhookCreatedEvent,
  WebhookDeletedEvent,
  WebhookDisabledEvent,
  WebhookResentEvent,
  WebhookSecretRotatedEvent,
  WebhookUpdatedEvent,
  WebhookVerifiedEvent,
} from './events.js';
export { exampleOf, webhookTypes, type FollowedProduct } from './webhook-catalog.js';
export { judgeWebhook, type SignedWebhook, type WebhookKeys } from './webhook-signing.js';
export { createWebhookServices, pruneWebhooks, type WebhookServices } from './webhook-services.js';
export { WEBHOOK_MOST, type WebhookInput } from './webhook-input.js';
export type { WebhookOwner } from './webhook-reader.js';
export type { FreshSecret, KnownWebhook, WebhookKnower, WebhookSights } from './webhook-sights.js';
export { webhookDeliveryList, type WebhookAttempt, type WebhookDelivery, type WebhookEndpoint } from './webhook.js';
