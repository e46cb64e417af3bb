import {
  type AppAddress,
  type CreatedApp,
  type DeveloperAddress,
  type GatewayApp,
  type GatewayApps,
  GatewayRefusedError,
  type GatewayStatus,
  type MovedApp,
  type MoveJournal,
  type NewKey,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { type ApigeeKeys, listApproved, lifetimeOf } from './apigee-keys.js';
import { ApigeeMoves } from './apigee-moves.js';
import { withAttributes } from './marks.js';
import { OwnApps } from './own-apps.js';
import { places } from './place.js';
import { type ApigeeAppRecord, appOf, DISPLAY_NAME, type KeyRecord, NOTES } from './records.js';

export class ApigeeApps implements GatewayApps {
  private readonly own: OwnApps;
  private readonly moves: ApigeeMoves;

  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
    private readonly keys: ApigeeKeys,
  ) {
    this.own = new OwnApps(context, developers);
    this.moves = new ApigeeMoves(context, developers);
  }

  async create(app: GatewayApp, key: NewKey | null): Promise<CreatedApp> {
    const calls = this.context.begin();
    const developerId = await this.developers.locate(calls, app.developer);
    const created = await this.post(calls, developerId, app, key);
    try {
      const first = await this.finish(calls, developerId, app, created, key);
      const pair = first && { consumerKey: first.consumerKey, consumerSecret: first.consumerSecret };
      return { appId: created.appId, key: pair && { keyRef: pair.consumerKey, ...pair } };
    } catch (error) {
      // All or nothing; leftovers of a failed rollback carry the portal's id and are found later.
      await this.context
        .begin()
        .remove(places.app(developerId, app.name))
        .catch(() => undefined);
      throw error;
    }
  }

  async update(app: GatewayApp): Promise<void> {
    const calls = this.context.begin();
    const { developerId, record } = await this.own.find(calls, app);
    // Fields that are not sent are lost: other attributes, callback. With products, the call would create a new key.
    const body = {
      name: app.name,
      attributes: withAttributes(record.attributes, displayAttributes(app)),
      ...(app.callbackUrl !== null && { callbackUrl: app.callbackUrl }),
    };
    await calls.put(places.app(developerId, app.name), body, appOf);
  }

  async setStatus(app: AppAddress, status: GatewayStatus): Promise<void> {
    const calls = this.context.begin();
    const { developerId } = await this.own.find(calls, app);
    await calls.act(places.app(developerId, app.name), status === 'approved' ? 'approve' : 'revoke');
  }

  move(app: AppAddress, to: DeveloperAddress, journal: MoveJournal): Promise<MovedApp> {
    return this.moves.move(app, to, journal);
  }

  async remove(app: AppAddress): Promise<void> {
    const calls = this.context.begin();
    const owned = await this.own.find(calls, app).catch(ignoreMissing);
    if (owned === undefined) return;
    const place = places.app(owned.developerId, app.name);
    // X deletes keys asynchronously; until then they would still work.
    await calls.act(place, 'revoke').catch(ignoreMissing);
    await calls.remove(place);
  }

  // Not idempotent, so never retried: after a lost answer, the app is looked up by its portal id (R13, R15).
  private post(calls: ApigeeCalls, developerId: string, app: GatewayApp, key: NewKey | null): Promise<ApigeeAppRecord> {
    const body = {
      name: app.name,
      // Always sent: strict organizations reject an app without this field.
      apiProducts: key === null ? [] : listApproved(key),
      attributes: withAttributes([], { ...displayAttributes(app), ...this.context.marks.of(app.portalId) }),
      ...(app.callbackUrl !== null && { callbackUrl: app.callbackUrl }),
      ...(key?.expiresAt && { keyExpiresIn: this.lifetime(key.expiresAt) }),
    };
    return calls.post(places.apps(developerId), body, {
      isRepeatable: false,
      read: appOf,
      recover: async () => (await this.own.lookUp(calls, developerId, app))?.record,
    });
  }

  // Apigee generates a key for every new app: it becomes the app's first key, or is deleted.
  private async finish(
    calls: ApigeeCalls,
    developerId: string,
    app: GatewayApp,
    record: ApigeeAppRecord,
    key: NewKey | null,
  ): Promise<KeyRecord | null> {
    const { keys } = record;
    if (app.status !== 'approved') await calls.act(places.app(developerId, app.name), 'revoke');
    const [made] = keys;
    if (key === null) {
      for (const { consumerKey } of keys) await calls.remove(places.key(developerId, app.name, consumerKey));
      return null;
    }
    if (!made) throw new GatewayRefusedError({ detail: 'Apigee answered with an app that has no key' });
    await this.keys.finish(calls, { developerId, name: app.name, record }, made, key);
    return made;
  }

  // X represents 64-bit numbers as strings.
  private lifetime(end: Date): string | number {
    const lifetime = lifetimeOf(end, this.context.clock.now());
    return this.context.platform === 'x' ? String(lifetime) : lifetime;
  }
}

function displayAttributes({ displayName, description }: GatewayApp): Record<string, string> {
  return { [DISPLAY_NAME]: displayName, [NOTES]: description };
}
