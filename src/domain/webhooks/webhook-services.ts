import type { KeyObject } from 'node:crypto';
import { addSeconds, type Clock, type Encrypter, type Logger, type ProcessMetrics } from '../../core/index.js';
import { removeExpired, type Database, type Lists } from '../../database/index.js';
import type { OutboundFetcher } from '../../outbound/index.js';
import { AudienceDeletedEvent, type UserAudiences } from '../catalog/index.js';
import { EndpointHealth, type HealthParts } from './endpoint-health.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookOutbox, type WebhookOutboxParts } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookService } from './webhook-service.js';
import { WebhookSights } from './webhook-sights.js';
import { PortalSignatures } from './webhook-signing.js';

/** How long messages, deliveries and attempts are kept. */
const KEEP_S = 30 * 86_400;

export interface WebhookServices {
  readonly endpoints: WebhookService;
  readonly sights: WebhookSights;
  /** Sends what is due; run by the job `webhooks` of every replica. */
  readonly dispatcher: WebhookDispatcher;
  readonly outbox: Pick<WebhookOutbox, 'onQueued'>;
  /** What receivers verify the portal's own signatures with. */
  readonly signatures: Pick<PortalSignatures, 'publicKeys'>;
}

interface WebhookServicesParts extends HealthParts, Pick<WebhookOutboxParts, 'followers' | 'teamOf' | 'api'> {
  readonly lists: Lists;
  readonly logger: Logger;
  readonly encrypter: Encrypter;
  readonly audiences: Pick<UserAudiences, 'concerned' | 'named' | 'require'>;
  readonly outbound: OutboundFetcher;
  readonly processMetrics: ProcessMetrics;
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]];
}

/** Builds the domain's services and writes down every event for webhooks from then on. */
export function createWebhookServices(parts: WebhookServicesParts): WebhookServices {
  const outbox = new WebhookOutbox(parts);
  outbox.listen(parts.events);
  const signatures = new PortalSignatures(parts.keys('webhooks'));
  const sender = new WebhookSender({ ...parts, signatures });
  const endpoints = new WebhookService({ ...parts, outbox, sender });
  parts.events.within(AudienceDeletedEvent, ({ audience }, transaction) =>
    endpoints.requireUnheard(audience.id, transaction),
  );
  const dispatcher = new WebhookDispatcher({ ...parts, sender, health: new EndpointHealth(parts) });
  const sights = new WebhookSights({ ...parts, endpoints });
  return { endpoints, sights, dispatcher, outbox, signatures };
}

/** Removes messages of more than a month ago, with their deliveries and attempts. */
export async function pruneWebhooks({ database, clock }: { database: Database; clock: Clock }): Promise<void> {
  const old = { condition: 'created_at <= ?', values: [addSeconds(clock.now(), -KEEP_S)] };
  await removeExpired(database, { table: 'portal_webhook_messages', key: 'id', ...old });
}
