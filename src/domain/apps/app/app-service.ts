import {
  changesOf,
  requireVersion,
  ValidationError,
  type ExpectedVersion,
  type ListQuery,
  type ListPage,
} from '../../../core/index.js';
import type { KeyPair } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { AppChanges } from './app-changes.js';
import { AppCreation, type NewApp } from './app-creation.js';
import { appList } from './app.js';
import { nameOfTitle } from './app-name.js';
import { AppProducts } from './app-products.js';
import type { AppParts } from '../app-parts.js';
import type { ProductChoice } from '../contracts.js';
import type { OwnedApp } from './app-reader.js';
import { approve, revoke, type Approvable, type Approver } from './approval.js';
import { AppReadModel, type AppView } from './app-read-model.js';
import { appDeletion, appStatusChange, appUpdate } from '../gateway-operations/app-operations.js';

export interface AppProfile {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | null | undefined;
}

export interface AppInput extends AppProfile {
  /** All products that the app should have; if omitted, they stay as they are. Those that it has keep their plan. */
  readonly products?: readonly ProductChoice[] | undefined;
  /** Lifetime in seconds of a first key, when the products need one. */
  readonly expiresIn?: number | undefined;
}

/** Apps of developers, in the portal and at the gateway. */
export class AppService {
  private readonly creation: AppCreation;
  private readonly changes: AppChanges;
  private readonly products: AppProducts;
  private readonly readModel: AppReadModel;

  constructor(private readonly parts: AppParts) {
    this.creation = new AppCreation(parts);
    this.changes = new AppChanges(parts);
    this.products = new AppProducts(parts);
    this.readModel = new AppReadModel(parts);
  }

  async list(owner: UserRecord, query: ListQuery): Promise<ListPage<AppView>> {
    const scope = { where: "a.user_id = ? AND a.sync_state <> 'creating'", values: [owner.id] };
    return this.readModel.page(await this.parts.lists.run(appList, query, { scope }), query.with);
  }

  /** @throws NotFoundError, also for another developer's app */
  find(owner: UserRecord, name: string): Promise<OwnedApp> {
    return this.parts.reader.findApp(owner, name);
  }

  view({ app }: Pick<OwnedApp, 'app'>): Promise<AppView> {
    return this.readModel.one(app);
  }

  /**
   * A free name for a new app with this title. @throws ValidationError on `display_name` when the developer has an app
   * with the same title, so that a form sent twice makes one app
   */
  async nameFor(owner: UserRecord, title: string): Promise<string> {
    const apps = await this.parts.reader.appsOf(owner.id);
    if (apps.some(({ displayName }) => displayName === title)) throw titleTaken();
    return nameOfTitle(title, new Set(apps.map(({ name }) => name.toLowerCase())));
  }

  /**
   * Creates an app; with products, `credentials[0]` of the result holds its first key in full.
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
    const first = await this.products.set(owned, change, by);
    const view = await this.view(updated);
    return first?.key ? withKey(view, first.id, first.key) : view;
  }

  private async updateProfile(
    owned: OwnedApp,
    input: AppProfile,
    by: Approver,
    expected: ExpectedVersion | undefined,
  ): Promise<AppView> {
    return this.changes.changeApp(owned, async (present) => {
      requireVersion(expected, present.app);
      const changes = changesOf<AppProfile>(present.app, input);
      if (changes === null) return this.view(present);
      return this.view(await this.parts.runner.run(appUpdate(this.parts, present, changes, by)));
    });
  }

  /** Also finishes an interrupted deletion. */
  async delete(owned: OwnedApp, by: Approver): Promise<void> {
    await this.changes.deleteApp(owned, (present) => this.parts.runner.run(appDeletion(this.parts, present, by)));
  }

  /** @throws ForbiddenError if `by` may not approve it */
  async approve(owned: OwnedApp, by: Approver, reason: string | null = null): Promise<AppView> {
    const { selfApproval } = this.parts.settings;
    return this.changes.changeApp(owned, (present) => {
      const terms = { selfApproval, now: this.parts.clock.now(), reason };
      return this.setState(present, approve(present.app, by, terms), by);
    });
  }

  /** Closes all keys of the app at once; always allowed. */
  async revoke(owned: OwnedApp, by: Approver, reason: string | null = null): Promise<AppView> {
    return this.changes.changeApp(owned, (present) => this.setState(present, revoke(present.app, by, reason), by));
  }

  private async setState(present: OwnedApp, next: Approvable, by: Approver): Promise<AppView> {
    return this.view(await this.parts.runner.run(appStatusChange(this.parts, present, next, by)));
  }
}

// The only response that shows the key of a new credential in full.
function withKey(view: AppView, credentialId: number, { consumerKey, consumerSecret }: KeyPair): AppView {
  const key = { consumerKey, consumerSecret };
  const credentials = view.credentials?.map((one) => (one.id === credentialId ? { ...one, key } : one)) ?? null;
  return { ...view, credentials };
}

function titleTaken(): ValidationError {
  return new ValidationError({ display_name: ['There is an app of that title already. Give this one another.'] });
}
