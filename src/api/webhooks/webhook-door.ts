import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { WebhookEndpoint, WebhookOwner } from '../../domain/webhooks/index.js';
import type { RouteContext } from '../../http/index.js';
import type { PathContext } from '../define-route.js';

export type WebhookActor = ConsumerActor | AdminActor;
type Ability = 'view' | 'create' | 'update' | 'delete';

/** One of the two doors to webhooks: the operator's, of all events, and a developer's, of those of their own apps. */
export interface WebhookDoor {
  readonly context: RouteContext;
  readonly path: string;
  readonly tag: string;
  /** `listWebhooks` → `listOwnWebhooks`. */
  operation(name: string): string;
  may(ability: Ability): { readonly policy?: readonly [Ability, string] };
}

export const webhookDoors: readonly WebhookDoor[] = [
  {
    ...{ context: 'consumer', path: '/me/webhooks', tag: 'Own webhooks' },
    operation: (name) => name.replace('Webhook', 'OwnWebhook'),
    may: () => ({}),
  },
  {
    ...{ context: 'admin', path: '/webhooks', tag: 'Webhooks' },
    operation: (name) => name,
    may: (ability) => ({ policy: [ability, 'webhooks'] }),
  },
];

export const ownerOf = ({ context, id }: WebhookActor): WebhookOwner => (context === 'consumer' ? id : null);

/** @throws NotFoundError */
export function findWebhook({
  services,
  actor,
  params,
}: PathContext<{ readonly id: number }> & { readonly actor: WebhookActor }): Promise<WebhookEndpoint> {
  return services.webhooks.endpoints.find(params.id, ownerOf(actor));
}
