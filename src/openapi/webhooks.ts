import { describeWebhooks, type DescribedWebhook } from '../api/index.js';
import type { JsonSchema, JsonSchemaWriter } from './json-schema.js';

/** A request that the portal sends, and what it makes of the answer. */
export interface WebhookOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

/** Of all webhooks. */
export const WEBHOOK_TAG = {
  name: 'Events',
  description:
    'What endpoints are told, each by a POST signed as [Standard Webhooks](https://www.standardwebhooks.com/) says. Bodies hold ids and names of fields, never a key or a secret.',
};

/** Type of an event → what is sent. @param whose endpoints; those of operators if omitted, which receive every event */
export function writeWebhooks(
  schemas: JsonSchemaWriter,
  whose?: 'consumer' | 'admin',
): Record<string, { readonly post: WebhookOperation }> {
  const { webhooks, body } = describeWebhooks(whose);
  const message = schemas.write(body);
  return Object.fromEntries(webhooks.map((webhook) => [webhook.type, { post: writeWebhook(webhook, message) }]));
}

function writeWebhook({ type, example }: DescribedWebhook, message: JsonSchema): WebhookOperation {
  const words = type.split(/[._-]/);
  const schema = { allOf: [message, { type: 'object', properties: { type: { const: type } } }] };
  return {
    operationId: ['on', ...words.map(capitalize)].join(''),
    tags: [WEBHOOK_TAG.name],
    summary: capitalize(words.join(' ')),
    description: `Sent to endpoints that want \`${type}\`. The same message may come twice: \`webhook-id\` tells.`,
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: RESPONSES,
  };
}

const RESPONSES: WebhookOperation['responses'] = {
  '2XX': { description: 'Taken. Within 15 seconds; the body does not matter.' },
  '410': { description: 'Turns the endpoint off.' },
  '4XX': {
    description: 'Sent again later, for about a day; `Retry-After` is honoured. 429 gives the endpoint a rest.',
  },
  '5XX': { description: 'As 4XX. Redirects are not followed.' },
};

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
