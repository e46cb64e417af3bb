import type { Database, Transaction } from '../../database/index.js';
import { addSeconds, type EventBus, type EventClass } from '../../core/index.js';
import type { MailDraft, MailQueue } from '../../mail/index.js';
import {
  addressUser,
  PasswordChangedEvent,
  UserStatusChangedEvent,
  type UserRecord,
  type UserService,
} from '../accounts/index.js';
import {
  AppApprovedEvent,
  AppLimitsRaisedEvent,
  AppLimitsRestoredEvent,
  AppQuotaResetEvent,
  AppRevokedEvent,
  AppTrialEndedEvent,
  AppTrialEndingEvent,
  CredentialApprovedEvent,
  CredentialPlanChangedEvent,
  CredentialPlanRequestedEvent,
  CredentialPlanWithdrawnEvent,
  CredentialProductApprovedEvent,
  CredentialProductRevokedEvent,
  CredentialRevokedEvent,
  KeysClosingEvent,
  maskKey,
  type AppRecord,
} from '../apps/index.js';
import type { AccountPages } from '../auth/index.js';
import { findProductName } from '../catalog/index.js';
import type { Recipients, TeamNotification, TeamRecord } from '../teams/index.js';
import { AppQuotaReachedEvent, AppUsageUnusualEvent } from '../usage/index.js';
import type { NotificationsConfig } from './config.js';

export interface NotificationParts {
  readonly database: Database;
  readonly users: Pick<UserService, 'find'>;
  readonly recipients: Recipients;
  readonly events: EventBus<Transaction>;
  readonly mail: MailQueue;
  readonly pages: AccountPages;
  readonly config: Pick<NotificationsConfig, 'usage'>;
  readonly defaultLocale: string;
  readonly formatDate: (date: Date, locale: string) => string;
}

type Values = MailDraft['values'];
type AppDecision =
  | AppApprovedEvent
  | AppRevokedEvent
  | AppTrialEndedEvent
  | AppTrialEndingEvent
  | AppLimitsRaisedEvent
  | AppLimitsRestoredEvent
  | AppQuotaResetEvent
  | CredentialApprovedEvent
  | CredentialRevokedEvent
  | CredentialProductApprovedEvent
  | CredentialProductRevokedEvent
  | CredentialPlanChangedEvent
  | CredentialPlanRequestedEvent
  | CredentialPlanWithdrawnEvent;

/**
 * Mails developers about changes to their account, apps and keys, and members of a team about its apps. Mails are queued in
 * the transaction of the change, so neither exists without the other. Developers are not mailed about their own changes.
 */
export class Notifications {
  constructor(private readonly parts: NotificationParts) {}

  listen(): void {
    const { events } = this.parts;
    events.within(PasswordChangedEvent, async ({ context, accountId }, transaction) => {
      if (context !== 'consumer') return;
      const values = { url: this.parts.pages.forgotPassword() };
      await this.tell(accountId, 'password-changed', values, transaction);
    });
    events.within(UserStatusChangedEvent, async ({ user, after }, transaction) => {
      if (after !== 'active' || user.kind === 'team') return;
      await this.queue(user, 'account-approved', { url: this.parts.pages.signIn() }, transaction);
    });
    events.within(KeysClosingEvent, async ({ user, keys }, transaction) => {
      await this.queue(user, 'keys-closed', { url: this.parts.pages.signIn(), count: keys }, transaction);
    });
    this.notifyDecision(AppApprovedEvent, 'app-approved', ({ app }) => ({ reason: app.statusReason }));
    this.notifyDecision(AppRevokedEvent, 'app-revoked', ({ app }) => ({ reason: app.statusReason }));
    this.notifyDecision(CredentialApprovedEvent, 'credential-approved', keyOf);
    this.notifyDecision(CredentialRevokedEvent, 'credential-revoked', keyOf);
    this.notifyDecision(CredentialProductApprovedEvent, 'product-approved', productOf);
    this.notifyDecision(CredentialProductRevokedEvent, 'product-revoked', productOf);
    this.notifyDecision(CredentialPlanChangedEvent, 'plan-changed', planIn('plan', 1));
    this.notifyDecision(CredentialPlanRequestedEvent, 'plan-announced', (event, locale) => ({
      ...planIn('nextPlan', 1)(event),
      date: this.parts.formatDate(event.changes.nextPlanAt?.[1] as Date, locale),
    }));
    this.notifyOwner(AppTrialEndingEvent, 'trial-ending', ({ changes }, locale) => ({
      ...{ plan: textIn(changes.plan?.[0]), next: textIn(changes.plan?.[1]) },
      date: this.parts.formatDate(changes.endsAt?.[1] as Date, locale),
    }));
    this.notifyOwner(AppTrialEndedEvent, 'trial-ended', ({ changes }) => ({ plan: textIn(changes.plan?.[1]) }));
    this.notifyDecision(AppLimitsRaisedEvent, 'limits-raised', ({ changes }, locale) => {
      const until = changes.endsAt?.[1];
      const date = until instanceof Date ? this.parts.formatDate(until, locale) : null;
      return { exempt: Number(changes.isExempt !== undefined), date, reason: textIn(changes.reason?.[1]) };
    });
    this.notifyDecision(AppLimitsRestoredEvent, 'limits-restored', ({ changes }) => ({
      reason: textIn(changes.reason?.[1]),
    }));
    this.notifyDecision(AppQuotaResetEvent, 'quota-reset', ({ changes }) => ({ reason: textIn(changes.reason?.[1]) }));
    this.notifyDecision(CredentialPlanWithdrawnEvent, 'plan-refused', planIn('nextPlan', 0));
    if (this.parts.config.usage) this.notifyUsage();
  }

  private notifyUsage(): void {
    const { events, formatDate } = this.parts;
    events.within(AppQuotaReachedEvent, async (fact, transaction) => {
      const { plan, limit, used, ends } = fact;
      const percent = Math.floor((used / limit) * 100);
      const template = used < limit ? 'quota-near' : 'quota-used-up';
      const valuesIn = (locale: string) => ({ plan, limit, used, percent, date: formatDate(ends, locale) });
      await this.tellUsage(fact, template, valuesIn, transaction);
    });
    events.within(AppUsageUnusualEvent, async (fact, transaction) => {
      const { calls, usual, hour } = fact;
      const time = { from: timeOf(hour), to: timeOf(addSeconds(hour, 3_600)) };
      const valuesIn = (locale: string) => ({ calls, usual, ...time, date: formatDate(hour, locale) });
      await this.tellUsage(fact, 'usage-unusual', valuesIn, transaction);
    });
  }

  private async tellUsage(
    { app, product }: AppQuotaReachedEvent | AppUsageUnusualEvent,
    template: string,
    valuesIn: (locale: string) => Values,
    transaction: Transaction,
  ): Promise<void> {
    for (const { user, team } of await this.parts.recipients.of(app.userId, 'usage', transaction)) {
      if (user.status !== 'active') continue;
      const about = this.appValues(app, team);
      const told = { product: await this.titleOf(product, user, transaction), url: `${about.url}/usage` };
      const values = { ...about, ...told, ...valuesIn(user.locale ?? this.parts.defaultLocale) };
      await this.queue(user, template, values, transaction);
    }
  }

  // Only decisions by admins.
  private notifyDecision<E extends AppDecision>(
    event: EventClass<E>,
    template: string,
    valuesOf: (event: E, locale: string) => Values,
  ): void {
    this.notifyOwner(event, template, valuesOf, ({ by }) => by.type === 'admin');
  }

  private notifyOwner<E extends AppDecision>(
    event: EventClass<E>,
    template: string,
    valuesOf: (event: E, locale: string) => Values,
    isTold: (event: E) => boolean = () => true,
  ): void {
    this.parts.events.within(event, async (fact, transaction) => {
      if (!isTold(fact)) return;
      const { app } = fact;
      for (const { user, team } of await this.parts.recipients.of(app.userId, notificationOf(fact), transaction)) {
        const locale = user.locale ?? this.parts.defaultLocale;
        const values: Values = { ...this.appValues(app, team), ...valuesOf(fact, locale) };
        const product: Values =
          'product' in fact ? { product: await this.titleOf(fact.product, user, transaction) } : {};
        await this.queue(user, template, { ...values, ...product }, transaction);
      }
    });
  }

  // The localised title; the slug is for programs.
  private async titleOf(slug: string, { locale }: UserRecord, transaction: Transaction): Promise<string> {
    const { database, defaultLocale } = this.parts;
    return (await findProductName(database, slug, locale ?? defaultLocale, transaction)) ?? slug;
  }

  private appValues({ displayName, name }: AppRecord, team: TeamRecord | null) {
    return { app: titleFor(displayName, team), url: this.parts.pages.app(name, team?.id ?? null) };
  }

  private async tell(userId: number, template: string, values: Values, transaction: Transaction): Promise<void> {
    await this.queue(await this.parts.users.find(userId, transaction), template, values, transaction);
  }

  private async queue(user: UserRecord, template: string, values: Values, transaction: Transaction): Promise<void> {
    const { mail, defaultLocale } = this.parts;
    const letter = { ...addressUser(user), locale: user.locale ?? defaultLocale };
    await mail.queue({ template, ...letter, values }, transaction);
  }
}

/** An app as mails name it: one of a team with the team. */
export function titleFor(title: string, team: Pick<TeamRecord, 'name'> | null): string {
  return team ? `${title} (${team.name})` : title;
}

/** What a member of a team may have muted. */
function notificationOf(fact: AppDecision): TeamNotification {
  if (fact instanceof AppApprovedEvent || fact instanceof AppRevokedEvent) return 'apps';
  if (fact instanceof AppQuotaResetEvent) return 'usage';
  const isKey = fact instanceof CredentialApprovedEvent || fact instanceof CredentialRevokedEvent;
  const isProduct = fact instanceof CredentialProductApprovedEvent || fact instanceof CredentialProductRevokedEvent;
  return isKey || isProduct ? 'keys' : 'plans';
}

function keyOf({ credential }: Pick<CredentialApprovedEvent, 'credential'>): Values {
  const { keyHint, statusReason } = credential;
  return { key: maskKey(keyHint), reason: statusReason };
}

// The reason for the product's decision, not the key's.
function productOf(event: CredentialProductApprovedEvent | CredentialProductRevokedEvent): Values {
  return { ...keyOf(event), reason: textIn(event.changes.statusReason?.[1]) };
}

// Plans by the names that they have in events.
function planIn(field: string, at: 0 | 1) {
  return ({ changes, ...event }: CredentialPlanChangedEvent): Values => ({
    ...keyOf(event),
    plan: textIn(changes[field]?.[at]),
    reason: textIn(changes.reason?.[1]),
  });
}

/** In UTC. */
function timeOf(date: Date): string {
  return date.toISOString().slice(11, 16);
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
