import { createHash, randomBytes } from 'node:crypto';
import { Op, removeExpired, type Database, type Transaction } from '../../database/index.js';
import {
  addSeconds,
  type Clock,
  ConflictError,
  type EventBus,
  ForbiddenError,
  latestEnd,
  nullIfMissing,
} from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import {
  addressUser,
  AdminDeletedEvent,
  AdminUpdatedEvent,
  UserDeletedEvent,
  UserStatusChangedEvent,
  type UserRecord,
  type UserService,
} from '../accounts/index.js';
import { SessionRevokedEvent } from '../auth/index.js';
import type { RouteAuthorizer } from '../rbac/index.js';
import { developerViewRecord, type DeveloperView, type DeveloperViewEnding } from './developer-view.js';
import { UserViewEndedEvent, UserViewStartedEvent } from './events.js';

const VIEW_S = 15 * 60;
/** Ended ones mean nothing any more: the activity log has both ends. */
const KEEP_S = 86_400;
/** Of one run of the job; the rest follows in the next one. */
const MOST_ENDED = 500;

/** What it takes to view as a developer, as the route declares it. */
export const VIEW_AS = ['view_as', 'users'] as const;

export interface DeveloperViewParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly users: Pick<UserService, 'find'>;
  readonly authorizer: Pick<RouteAuthorizer, 'authorize'>;
  readonly mail: MailQueue;
  readonly defaultLocale: string;
  /** Whether the portal serves both the pages that are viewed and the console, whose sign-in a view needs. */
  readonly isServed: boolean;
  /** Whether developers are told by mail. */
  readonly tellsDevelopers: boolean;
}

/** Admins who look at the portal as a developer sees it: 15 minutes each, one at a time, both ends recorded. */
export class DeveloperViews {
  constructor(private readonly parts: DeveloperViewParts) {}

  /** How long a view lasts. */
  readonly minutes = VIEW_S / 60;

  get tellsDevelopers(): boolean {
    return this.parts.tellsDevelopers;
  }

  /** Ends views together with what they rest on. */
  listen(): void {
    const { database, events } = this.parts;
    const close = (whose: Owner, transaction: Transaction) => this.endAll(whose, 'account_closed', transaction);
    const forget = async (whose: Owner, transaction: Transaction) => {
      await close(whose, transaction);
      await developerViewRecord.remove(database, whose, transaction);
    };
    events.within(UserStatusChangedEvent, async ({ user, after }, transaction) => {
      if (after === 'inactive') await close({ userId: user.id }, transaction);
    });
    events.within(AdminUpdatedEvent, async ({ admin }, transaction) => {
      if (admin.status === 'inactive') await close({ adminId: admin.id }, transaction);
    });
    events.within(UserDeletedEvent, ({ user }, transaction) => forget({ userId: user.id }, transaction));
    events.within(AdminDeletedEvent, ({ admin }, transaction) => forget({ adminId: admin.id }, transaction));
    events.within(SessionRevokedEvent, async ({ context, accountId }, transaction) => {
      if (context !== 'admin' || accountId === null) return;
      await this.endAll({ adminId: accountId }, 'signed_out', transaction);
    });
  }

  /**
   * Starts a view; another one of the same admin ends.
   * @returns the token too, which nobody can read again
   * @throws ConflictError for a developer who could not sign in, or a portal without the pages
   */
  async start(
    user: UserRecord,
    adminId: number,
    reason: string,
  ): Promise<{ readonly view: DeveloperView; readonly token: string }> {
    const { database, events, clock, isServed } = this.parts;
    if (!isServed) throw new ConflictError({ errors: { id: ['The portal serves no pages to look at.'] } });
    if (user.status === 'inactive') {
      throw new ConflictError({ errors: { status: ['Who is deactivated sees nothing but the sign-in.'] } });
    }
    const token = randomBytes(32).toString('base64url');
    const view = await database.transaction(async (transaction) => {
      await this.endAll({ adminId }, 'another_started', transaction);
      const now = clock.now();
      const values = { adminId, userId: user.id, reason, startedAt: now, endsAt: addSeconds(now, VIEW_S) };
      const id = await developerViewRecord.insert(database, { ...values, tokenHash: hashOf(token) }, transaction);
      const started = await developerViewRecord.require(database, { id }, { transaction });
      await events.emit(new UserViewStartedEvent({ view: started, occurredAt: now }), transaction);
      await this.tell(user, transaction);
      return started;
    });
    return { view, token };
  }

  /** The running view of this token and admin, and whom it shows; null for none. */
  async find(
    token: string,
    adminId: number,
  ): Promise<{ readonly view: DeveloperView; readonly user: UserRecord } | null> {
    const { database, clock } = this.parts;
    const view = await developerViewRecord.find(database, { tokenHash: hashOf(token), adminId, endedAt: null });
    if (!view || isOver(view, clock.now())) return null;
    const user = await this.findUser(view.userId);
    if (!user || user.status === 'inactive') return null;
    if (await this.isAllowed(adminId)) return { view, user };
    await this.end(view, 'not_allowed');
    return null;
  }

  /** Does nothing to a view that has ended. */
  async end(view: DeveloperView, ending: DeveloperViewEnding): Promise<void> {
    await this.parts.database.transaction((transaction) => this.endOne(view, ending, transaction));
  }

  /** Records the end of views whose time is over, and removes those that ended a day ago. */
  async sweep(): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const over = [{ endsAt: { [Op.lte]: now } }, { startedAt: { [Op.gt]: latestEnd(now, 0) } }];
    const views = await developerViewRecord.findAll(database, { endedAt: null, [Op.or]: over }, { limit: MOST_ENDED });
    for (const view of views) await this.end(view, 'ran_out');
    const old = { condition: 'ended_at <= ?', values: [addSeconds(now, -KEEP_S)] };
    await removeExpired(database, { table: developerViewRecord.table, key: 'id', ...old });
  }

  private async endAll(whose: Owner, ending: DeveloperViewEnding, transaction: Transaction): Promise<void> {
    const open = { ...whose, endedAt: null };
    const views = await developerViewRecord.findAll(this.parts.database, open, { transaction });
    for (const view of views) await this.endOne(view, ending, transaction);
  }

  private async endOne({ id }: DeveloperView, ending: DeveloperViewEnding, transaction: Transaction): Promise<void> {
    const { database, events, clock } = this.parts;
    const endedAt = clock.now();
    // The condition decides between two who end it at once: its end is recorded once.
    if ((await developerViewRecord.update(database, { id, endedAt: null }, { endedAt }, transaction)) === 0) return;
    const view = await developerViewRecord.require(database, { id }, { transaction });
    await events.emit(new UserViewEndedEvent({ view, ending, occurredAt: endedAt }), transaction);
  }

  private findUser(id: number): Promise<UserRecord | null> {
    return this.parts.users.find(id).catch(nullIfMissing);
  }

  private async isAllowed(id: number): Promise<boolean> {
    try {
      await this.parts.authorizer.authorize({ id, context: 'admin' }, { policy: VIEW_AS });
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  // Neither who it was nor why: developers do not learn who an admin is, and the reason is the team's own.
  private async tell(user: UserRecord, transaction: Transaction): Promise<void> {
    const { mail, defaultLocale, tellsDevelopers } = this.parts;
    if (!tellsDevelopers) return;
    const letter = { ...addressUser(user), locale: user.locale ?? defaultLocale };
    await mail.queue({ template: 'viewed-as', ...letter, values: { minutes: this.minutes } }, transaction);
  }
}

type Owner = { readonly adminId: number } | { readonly userId: number };

/** A view that begins later than now was written before the clock was set back, and would last for that much longer. */
function isOver({ startedAt, endsAt }: DeveloperView, now: Date): boolean {
  return endsAt <= now || startedAt > latestEnd(now, 0);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
