import type { FoundApp, GatewayDriver } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { productRecord } from '../../catalog/index.js';
import { appRecord, type AppRecord } from '../app/app.js';
import { credentialRecord } from '../credential/credential.js';
import type { AppParts } from '../app-parts.js';
import { AppRepair } from './app-repair.js';
import type { AppPair, ComparisonTerms } from './app-state.js';
import { compareApp } from './compare-app.js';
import type { Drift, FixOptions } from './drift.js';

/** Compares developers' apps in the portal and at the gateway. */
export class AppComparison {
  private readonly appRepair: AppRepair;
  private ours: Promise<ReadonlySet<string>> | undefined;

  constructor(
    private readonly parts: AppParts,
    private readonly driver: GatewayDriver,
    private readonly options: FixOptions,
  ) {
    this.appRepair = new AppRepair(parts);
  }

  /** @param only compares only the app with this id */
  async differences(owner: UserRecord, only?: number): Promise<Drift[]> {
    const { developers, reader } = this.parts;
    const found = (await developers.appsOf(owner)) ?? [];
    const apps = (await reader.appsOf(owner.id)).filter(({ id }) => only === undefined || id === only);
    const list: Drift[] = [];
    for (const app of apps) list.push(...(await this.compare(owner, app, found)));
    return only === undefined ? [...list, ...(await this.findUnknown(owner, found))] : list;
  }

  /** @returns whether anything was done; false when the difference is gone, or the app is busy */
  async repair(drift: Drift, owner: UserRecord): Promise<boolean> {
    if (drift.fix === 'none') return false;
    if (drift.kind === 'app_unknown') return this.removeUnknown(drift, owner);
    const app = (await this.parts.reader.appsOf(owner.id)).find(({ name }) => name === drift.app);
    if (!app) return false;
    let isDone = false;
    // Compared again under the lease: the difference may have been a change in progress.
    await this.parts.leases.holdNow(app.id, async () => {
      if (await this.parts.operationLog.isMoving(app.id)) return;
      const pair = await this.pair(owner, app, (await this.parts.developers.appsOf(owner)) ?? []);
      const again = compareApp(pair, await this.terms(), this.options).find((other) => isSame(other, drift));
      if (!again) return;
      await this.appRepair.apply(again, pair);
      isDone = true;
    });
    return isDone;
  }

  private async compare(owner: UserRecord, app: AppRecord, found: readonly FoundApp[]): Promise<Drift[]> {
    // Pending deletions have a log entry.
    if (app.syncState !== 'synced') return [];
    const list = compareApp(await this.pair(owner, app, found), await this.terms(), this.options);
    // What is half with each of two owners differs until it is whole again.
    return list.length > 0 && (await this.parts.operationLog.isMoving(app.id)) ? [] : list;
  }

  private async pair(owner: UserRecord, stale: AppRecord, found: readonly FoundApp[]): Promise<AppPair> {
    const { reader, gateway, database } = this.parts;
    const owned = await reader.reloadApp({ owner, app: stale });
    const credentials = (await reader.credentialsOf([stale.id])).filter(({ syncState }) => syncState === 'synced');
    const grants = await reader.grantsOf(credentials.map(({ id }) => id));
    const rows = await credentialRecord.findAll(database, { appId: stale.id, syncState: ['creating', 'deleting'] });
    return {
      owned,
      keys: credentials.map((credential) => ({
        owned: { ...owned, credential },
        keyRef: gateway.keyRefOf(credential),
        grants: grants.filter(({ credentialId }) => credentialId === credential.id),
      })),
      unfinished: new Set(rows.map(({ id }) => String(id))),
      found: found.find(({ portalId }) => portalId === String(stale.id)) ?? null,
    };
  }

  private async findUnknown(owner: UserRecord, found: readonly FoundApp[]): Promise<Drift[]> {
    const list: Drift[] = [];
    for (const { portalId, name, status } of found) {
      if (portalId !== null && /^\d+$/.test(portalId) && (await this.isExpected(owner, Number(portalId)))) continue;
      const whose = portalId === null ? 'not the portal’s' : `of app ${portalId}`;
      list.push({
        ...{ kind: 'app_unknown', userId: owner.id, email: owner.email, app: name, credentialId: null, product: null },
        ...{ portal: null, gateway: `${status}, ${whose}` },
        fix: portalId !== null && this.options.prune ? 'gateway' : 'none',
      });
    }
    return list;
  }

  private async removeUnknown({ app }: Drift, owner: UserRecord): Promise<boolean> {
    const { developers, gateway, reader, leases } = this.parts;
    const found = (await developers.appsOf(owner))?.find(({ name }) => name === app);
    if (!found || found.portalId === null) return false;
    const [id, name] = [Number(found.portalId), found.name];
    const remove = () => gateway.removeApp({ owner, app: { id, name, gatewayName: name } });
    let isDone = false;
    const removeUnexpected = async () => {
      if (await this.isExpected(owner, id)) return;
      await remove();
      isDone = true;
    };
    if (await reader.hasApp(id)) await leases.holdNow(id, removeUnexpected);
    else await removeUnexpected();
    return isDone;
  }

  // Not with an owner who has it no more, unless it is on its way.
  private async isExpected(owner: UserRecord, id: number): Promise<boolean> {
    const { database, reader, operationLog } = this.parts;
    if (!(await reader.hasApp(id))) return false;
    return (await appRecord.has(database, { id, userId: owner.id })) || (await operationLog.isMoving(id));
  }

  private async terms(): Promise<ComparisonTerms> {
    this.ours ??= productRecord
      .findAll(this.parts.database, {}, { only: ['gatewayProductId'] })
      .then((rows) => new Set(rows.map(({ gatewayProductId }) => gatewayProductId)));
    const ours = await this.ours;
    const { capabilities } = this.driver;
    return { capabilities, isOurProduct: (name) => ours.has(name), now: this.parts.clock.now() };
  }
}

function isSame(a: Drift, b: Drift): boolean {
  return a.kind === b.kind && a.credentialId === b.credentialId && a.product === b.product;
}
