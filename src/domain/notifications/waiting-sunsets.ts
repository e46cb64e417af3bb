import { Op, type Database, type Transaction } from '../../database/index.js';
import { ForbiddenError, type Clock, type EventBus } from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import { adminRecord } from '../accounts/index.js';
import {
  deprecationRecord,
  DeprecationSunsetReachedEvent,
  productRecord,
  scopeText,
  type Deprecation,
} from '../catalog/index.js';
import type { RouteAuthorizer } from '../rbac/index.js';

const BATCH = 200;

interface WaitingSunsetParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly mail: MailQueue;
  readonly clock: Clock;
  readonly authorizer: Pick<RouteAuthorizer, 'authorize'>;
  /** For admins, who have no locale. */
  readonly locale: string;
  /** Address of a page of the console; null without a console. */
  readonly page: (path: string) => string | null;
  /** Absolute URL of the admin API. */
  readonly adminApi: () => string;
  readonly formatDate: (date: Date, locale: string) => string;
}

/**
 * Tells admins that the sunset came of something which does not close by itself: once for each sunset, those alone who may end
 * it. The mails and the event are committed together with the note that they were sent.
 */
export class WaitingSunsets {
  constructor(private readonly parts: WaitingSunsetParts) {}

  /** Safe to repeat, and on any number of replicas. */
  async announce(stopping?: AbortSignal): Promise<void> {
    const { database } = this.parts;
    const found = await deprecationRecord.findAll(database, this.whereWaiting(), { order: 'dp.id', limit: BATCH });
    if (found.length === 0) return;
    // Before any transaction, which must not wait for another connection.
    const admins = await this.findAdmins();
    for (const deprecation of found) {
      if (stopping?.aborted) return;
      await this.tell(deprecation, admins);
    }
  }

  private whereWaiting() {
    const sunsetAt = { [Op.lte]: this.parts.clock.now() };
    return { state: 'announced', closes: 'manual', sunsetAt, sunsetNoticedAt: null } as const;
  }

  private async findAdmins() {
    const active = await adminRecord.findAll(this.parts.database, { status: 'active' }, { order: 'a.id' });
    const allowed = await Promise.all(active.map(({ id }) => this.mayEnd(id)));
    return active.filter((_, index) => allowed[index]);
  }

  private async mayEnd(id: number): Promise<boolean> {
    try {
      await this.parts.authorizer.authorize({ id, context: 'admin' }, { policy: ['update', 'products'] });
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  private async tell(
    { id, productId }: Deprecation,
    admins: readonly { readonly email: string; readonly name: string }[],
  ): Promise<void> {
    const { database, events, mail, clock, locale, page, adminApi, formatDate } = this.parts;
    await database.transaction(async (transaction) => {
      const occurredAt = clock.now();
      const reminded = { sunsetNoticedAt: occurredAt };
      // Put off, ended, or told by another replica meanwhile.
      const isFirst = await deprecationRecord.update(database, { id, ...this.whereWaiting() }, reminded, transaction);
      if (isFirst === 0) return;
      const deprecation = await deprecationRecord.require(database, { id }, { transaction });
      const product = await productRecord.require(database, { id: productId }, { transaction });
      const about = { product: { ...product, ...NO_RELATIONS }, deprecation, occurredAt };
      await events.emit(new DeprecationSunsetReachedEvent(about), transaction);
      const { sunsetAt } = deprecation;
      const part = scopeText(deprecation) || product.name;
      const url = page(`/deprecations/${productId}/${id}`) ?? `${adminApi()}/products/${productId}/deprecations/${id}`;
      const values = { part, product: product.name, date: sunsetAt && formatDate(sunsetAt, locale), url };
      for (const { email, name } of admins) {
        await mail.queue({ template: 'sunset-waiting', to: email, locale, name, values }, transaction);
      }
    });
  }
}

const NO_RELATIONS = { categories: [], tags: [], deprecation: null };
