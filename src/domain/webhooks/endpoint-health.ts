import type { Database, Transaction } from '../../database/index.js';
import { addSeconds, NotFoundError, type Clock, type EventBus } from '../../core/index.js';
import type { MailDraft, MailQueue } from '../../mail/index.js';
import { addressUser, type AdminService, type UserRecord } from '../accounts/index.js';
import { WebhookDisabledEvent } from './events.js';
import { endpointRecord, webhookDeliveryRecord, type DisabledReason, type WebhookEndpoint } from './webhook.js';

/** An endpoint that fails for so long is turned off, and its owner is warned at half of it. */
const MOST_FAILING_S = 5 * 86_400;

export interface HealthParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly mail: MailQueue;
  /** Who is told about failing endpoints of an owner: the developer, or the members of a team who can act on it. */
  readonly keepers: (ownerId: number, transaction: Transaction) => Promise<readonly UserRecord[]>;
  readonly admins: Pick<AdminService, 'find'>;
  readonly defaultLocale: string;
}

/** Notes how endpoints do, and turns off those that are gone or have failed for five days. */
export class EndpointHealth {
  constructor(private readonly parts: HealthParts) {}

  async noteRecovery(id: number, transaction: Transaction): Promise<void> {
    const well = { failingSince: null, warnedAt: null, resumeAt: null };
    await endpointRecord.update(this.parts.database, { id }, well, transaction);
  }

  /** @param isGone it answered 410. @returns whether it is turned off now */
  async noteFailure(id: number, isGone: boolean, transaction: Transaction): Promise<boolean> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const endpoint = await endpointRecord.find(database, { id }, { with: ['warnedAt'], lock: true, transaction });
    if (!endpoint || endpoint.status !== 'active') return true;
    if (isGone) return this.disable(endpoint, 'gone', transaction);
    const since = endpoint.failingSince ?? now;
    if (since <= addSeconds(now, -MOST_FAILING_S)) return this.disable(endpoint, 'failing', transaction);
    if (endpoint.failingSince === null) {
      await endpointRecord.update(database, { id }, { failingSince: now }, transaction);
    } else if (endpoint.warnedAt === null && since <= addSeconds(now, -MOST_FAILING_S / 2)) {
      await endpointRecord.update(database, { id }, { warnedAt: now }, transaction);
      await this.tell(endpoint, 'webhook-failing', transaction);
    }
    return false;
  }

  private async disable(endpoint: WebhookEndpoint, reason: DisabledReason, transaction: Transaction): Promise<true> {
    const { database, events, clock } = this.parts;
    const now = clock.now();
    const { id } = endpoint;
    const off = { status: 'disabled', disabledReason: reason, updatedAt: now } as const;
    await endpointRecord.update(database, { id }, off, transaction);
    const open = { endpointId: id, state: 'queued' } as const;
    await webhookDeliveryRecord.update(database, open, { state: 'failed', updatedAt: now }, transaction);
    await events.emit(
      new WebhookDisabledEvent({ endpoint: { ...endpoint, ...off }, reason, occurredAt: now }),
      transaction,
    );
    await this.tell(endpoint, 'webhook-disabled', transaction);
    return true;
  }

  private async tell(
    { ownerId, createdBy, url }: WebhookEndpoint,
    template: string,
    transaction: Transaction,
  ): Promise<void> {
    const { mail, defaultLocale } = this.parts;
    const addressees =
      ownerId === null
        ? await this.adminOf(createdBy)
        : await this.parts.keepers(ownerId, transaction).then(selectActive);
    // The host alone: the rest of an address is often a secret.
    const values = { host: new URL(url).host };
    for (const { locale, ...to } of addressees) {
      await mail.queue({ template, ...to, locale: locale ?? defaultLocale, values }, transaction);
    }
  }

  private async adminOf(createdBy: number | null): Promise<Addressee[]> {
    if (createdBy === null) return [];
    try {
      const { email, name, status } = await this.parts.admins.find(createdBy);
      return status === 'active' ? [{ to: email, name, locale: null }] : [];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      throw error;
    }
  }
}

type Addressee = Pick<MailDraft, 'to' | 'name' | 'isUnproved'> & { readonly locale: string | null };

function selectActive(users: readonly UserRecord[]): Addressee[] {
  return users.flatMap((user) => (user.status === 'active' ? [{ ...addressUser(user), locale: user.locale }] : []));
}
