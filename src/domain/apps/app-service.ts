import {
  changesOf,
  nextVersion,
  requireVersion,
  type ExpectedVersion,
  type ListQuery,
  type Page,
} from '../../kernel/index.js';
import type { KeyPair } from '../../gateway/index.js';
import type { UserRecord } from '../accounts/index.js';
import { AppChanges } from './app-changes.js';
import { AppCreation, type NewApp } from './app-creation.js';
import { appList } from './app-list.js';
import { appModel } from './app.js';
import { AppProducts } from './app-products.js';
import type { AppParts } from './app-parts.js';
import type { OwnedApp } from './app-reader.js';
import { approved, revoked, stateChanges, type Approvable, type Approver } from './approval.js';
import { AppViews, type AppView } from './app-views.js';
import { AppApprovedEvent, AppDeletedEvent, AppRevokedEvent, AppUpdatedEvent } from './events.js';
import { applyChange, attempt } from './two-sided-change.js';

export interface AppProfile {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | null | undefined;
}

export interface AppInput extends AppProfile {
  /** Slugs or ids of all products that the app shall have; left out, they stay as they are. */
  readonly products?: readonly (string | number)[] | undefined;
  /** Seconds that its key lives, when the products need a first one. */
  readonly expiresIn?: number | undefined;
}

/** Apps of developers, in the portal and at the gateway. */
export class AppService {
  private readonly creation: AppCreation;
  private readonly changes: AppChanges;
  private readonly products: AppProducts;
  private readonly views: AppViews;

  constructor(private readonly parts: AppParts) {
    this.creation = new AppCreation(parts);
    this.changes = new AppChanges(parts);
    this.products = new AppProducts(parts);
    this.views = new AppViews(parts);
  }

  async list(owner: UserRecord, query: ListQuery): Promise<Page<AppView>> {
    const scope = { where: "a.user_id = ? AND a.sync_state <> 'creating'", values: [owner.id] };
    return this.views.page(await this.parts.lists.run(appList, query, { scope }), query.with);
  }

  /** @throws NotFoundError, for somebody else's app alike */
  find(owner: UserRecord, name: string): Promise<OwnedApp> {
    return this.parts.reader.findApp(owner, name);
  }

  view({ app }: Pick<OwnedApp, 'app'>): Promise<AppView> {
    return this.views.one(app);
  }

  /**
   * A new app; with products, `credentials[0]` of the answer holds its first key in full.
   * @throws AccountNotActiveError, ValidationError, the errors of the gateway
   */
  async create(owner: UserRecord, input: NewApp, by: Approver): Promise<AppView> {
    const { owned, first } = await this.creation.run(owner, input, by);
    const view = await this.view(owned);
    return first ? withKey(view, first.credential.credential.id, first.key) : view;
  }

  /**
   * Changes only what is given.
   * @throws NotFoundError, PreconditionFailedError, those of {@link AppProducts.plan}, the errors of the gateway
   */
  async update(owned: OwnedApp, input: AppInput, by: Approver, expected?: ExpectedVersion): Promise<AppView> {
    const { products, expiresIn, ...profile } = input;
    const change = products && (await this.products.plan(owned, products, expiresIn, by));
    const updated = await this.updateProfile(owned, profile, by, expected);
    if (change === undefined) return updated;
    const first = await this.products.apply(owned, change, by);
    const view = await this.view(updated);
    return first?.key ? withKey(view, first.id, first.key) : view;
  }

  private async updateProfile(
    owned: OwnedApp,
    input: AppProfile,
    by: Approver,
    expected: ExpectedVersion | undefined,
  ): Promise<AppView> {
    const { gateway, database, events, clock, logger, reader } = this.parts;
    return this.changes.ofApp(owned, async (present) => {
      requireVersion(expected, present.app);
      const changes = changesOf<AppProfile>(present.app, input);
      if (changes === null) return this.view(present);
      const values = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
      const changed = await applyChange(
        {
          push: () => gateway.updateApp({ ...present, app: { ...present.app, ...values } }),
          undo: () => gateway.updateApp(present),
          opens: false,
          write: () =>
            database.transaction(async (transaction) => {
              const where = { id: present.app.id };
              await appModel(database).update(
                { ...values, updatedAt: nextVersion(clock.now(), present.app) },
                { where, transaction },
              );
              const { app } = await reader.reloadApp(present, transaction);
              await events.emit(new AppUpdatedEvent({ app, changes, by, occurredAt: clock.now() }), transaction);
              return app;
            }),
        },
        logger,
      );
      return this.view({ app: changed });
    });
  }

  /** Also finishes a deletion that broke off. */
  async delete(owned: OwnedApp, by: Approver): Promise<void> {
    const { gateway, database, events, clock, logger, leases, reader } = this.parts;
    const mark = (state: string) =>
      database.execute('UPDATE portal_apps SET sync_state = ? WHERE id = ?', [state, owned.app.id]);
    await leases.hold(owned.app.id, async () => {
      const present = await reader.reloadApp(owned);
      await mark('deleting');
      try {
        await gateway.removeApp(present);
      } catch (error) {
        await attempt(() => mark('synced'), logger);
        throw error;
      }
      await database.transaction(async (transaction) => {
        await database.execute('DELETE FROM portal_apps WHERE id = ?', [present.app.id], { transaction });
        await events.emit(new AppDeletedEvent({ app: present.app, by, occurredAt: clock.now() }), transaction);
      });
    });
  }

  /** @throws ForbiddenError without the right to */
  async approve(owned: OwnedApp, by: Approver, reason: string | null = null): Promise<AppView> {
    const { selfApproval } = this.parts.settings;
    return this.changes.ofApp(owned, (present) => {
      const terms = { selfApproval, now: this.parts.clock.now(), reason };
      return this.setState(present, approved(present.app, by, terms), by);
    });
  }

  /** Closes all keys of the app at once; always allowed. */
  async revoke(owned: OwnedApp, by: Approver, reason: string | null = null): Promise<AppView> {
    return this.changes.ofApp(owned, (present) => this.setState(present, revoked(present.app, by, reason), by));
  }

  private async setState(present: OwnedApp, next: Approvable, by: Approver): Promise<AppView> {
    const { gateway, database, events, clock, logger, reader } = this.parts;
    const { status } = present.app;
    const Event = next.status === 'revoked' ? AppRevokedEvent : AppApprovedEvent;
    const changed = await applyChange(
      {
        // Also when the portal shows that state already: after a crash the gateway may not.
        push: () => gateway.setAppStatus(present, next.status),
        undo: () => gateway.setAppStatus(present, status),
        opens: next.status === 'approved',
        write: () =>
          database.transaction(async (transaction) => {
            if (next === present.app) return present;
            await this.changes.setApp(present.app, next, transaction);
            const after = await reader.reloadApp(present, transaction);
            const changes = stateChanges(present.app, next);
            await events.emit(new Event({ app: after.app, changes, by, occurredAt: clock.now() }), transaction);
            return after;
          }),
      },
      logger,
    );
    return this.view(changed);
  }
}

// The one answer that shows the key of a new credential in full.
function withKey(view: AppView, credentialId: number, { consumerKey, consumerSecret }: KeyPair): AppView {
  const key = { consumerKey, consumerSecret };
  const credentials = view.credentials?.map((one) => (one.id === credentialId ? { ...one, key } : one)) ?? null;
  return { ...view, credentials };
}
