import { Op, type Database, type Lists } from '../../database/index.js';
import type { ListPage, ListQuery } from '../../core/index.js';
import type { AudienceReference, UserAudiences } from '../catalog/index.js';
import {
  endpointRecord,
  webhookAttemptRecord,
  webhookDeliveryList,
  webhookDeliveryRecord,
  webhookMessageRecord,
  type WebhookDelivery,
  type WebhookDeliveryDetails,
  type WebhookEndpoint,
} from './webhook.js';
import { webhookTypes } from './webhook-catalog.js';

/** Whose endpoints are meant: a developer's, or with null the operator's. */
export type WebhookOwner = number | null;

export interface WebhookReaderParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly audiences: Pick<UserAudiences, 'named'>;
}

/** Reads endpoints and what is sent to them. */
export class WebhookReader {
  constructor(protected readonly parts: WebhookReaderParts) {}

  /** In the order in which they were made. */
  list(ownerId: WebhookOwner): Promise<WebhookEndpoint[]> {
    return endpointRecord.findAll(this.parts.database, { ownerId }, { order: 'e.id' });
  }

  /** @throws NotFoundError, also for somebody else's */
  find(id: number, ownerId: WebhookOwner): Promise<WebhookEndpoint> {
    return endpointRecord.require(this.parts.database, { id, ownerId });
  }

  /** The audiences that endpoints hear of, by id. */
  async audiencesOf(endpoints: readonly WebhookEndpoint[]): Promise<ReadonlyMap<number, AudienceReference>> {
    const ids = new Set(endpoints.flatMap(({ audiences }) => audiences ?? []));
    const named = await this.parts.audiences.named([...ids]);
    return new Map(named.map((audience) => [audience.id, audience]));
  }

  /** How many endpoints of the operator get events, fail, and were turned off by the portal. */
  async state(): Promise<{ active: number; failing: number; disabled: number }> {
    const { database } = this.parts;
    const own = { ownerId: null };
    return {
      active: await endpointRecord.count(database, { ...own, status: 'active' }),
      failing: await endpointRecord.count(database, { ...own, status: 'active', failingSince: { [Op.ne]: null } }),
      disabled: await endpointRecord.count(database, {
        ...own,
        status: 'disabled',
        disabledReason: ['gone', 'failing'],
      }),
    };
  }

  /** Types of events that an owner can be told of. */
  types(ownerId: WebhookOwner): string[] {
    return webhookTypes(ownerId === null ? 'operators' : 'developers');
  }

  deliveries({ id }: WebhookEndpoint, query: ListQuery): Promise<ListPage<WebhookDelivery>> {
    return this.parts.lists.run(webhookDeliveryList, query, { scope: { where: 'd.endpoint_id = ?', values: [id] } });
  }

  /** A delivery with what is sent and its attempts, the first one first. @throws NotFoundError */
  async delivery(endpoint: WebhookEndpoint, id: number): Promise<WebhookDeliveryDetails> {
    const { database } = this.parts;
    const found = { id, endpointId: endpoint.id };
    const { body: own, ...delivery } = await webhookDeliveryRecord.require(database, found, { with: ['body'] });
    const attempts = await webhookAttemptRecord.findAll(database, { deliveryId: id }, { order: 't.id' });
    const { body } = await webhookMessageRecord.require(database, { id: delivery.messageId });
    return { ...delivery, body: own ?? body, attempts };
  }
}
