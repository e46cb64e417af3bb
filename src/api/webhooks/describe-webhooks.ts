import { exampleOf, webhookTypes } from '../../domain/webhooks/index.js';
import { webhookMessageReply } from './webhook-schema.js';

const TIMESTAMP = '2026-06-01T12:00:00.000Z';

/** A type of events, as endpoints are told of it. */
export interface DescribedWebhook {
  readonly type: string;
  /** A body, as it is sent. */
  readonly example: object;
}

export function describeWebhook(type: string): DescribedWebhook {
  return { type, example: { timestamp: TIMESTAMP, ...exampleOf(type) } };
}

/** What endpoints are told, and the form of every body. @param whose all types if omitted */
export function describeWebhooks(whose?: 'consumer' | 'admin') {
  const types = webhookTypes(whose === 'consumer' ? 'developers' : 'operators');
  return { webhooks: types.map(describeWebhook), body: webhookMessageReply };
}
