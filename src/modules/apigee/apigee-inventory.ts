import {
  type FoundApp,
  type FoundDeveloper,
  type GatewayInventory,
  GatewayNotFoundError,
  type InventoryPage,
} from '../../gateway/index.js';
import type { ApigeeContext } from './apigee-calls.js';
import { withAttributes } from './marks.js';
import { type ApigeeList, page, readAll, readTokenPages } from './paging.js';
import { isAppGroup, places } from './place.js';
import { ApigeePlans } from './plans.js';
import { type ApigeeAppRecord, appOf, developerOf, keyChange, keyOf, toFoundApp, toFoundDeveloper } from './records.js';

/** Apigee's maximum is 1000 developers, and 100 apps of one developer. */
const DEVELOPERS = 500;
const APPS = 100;

/**
 * Reads apps developer by developer: the organization's list of apps omits revoked ones unless queried state by state, and
 * then misses apps that change their state between the queries.
 */
export class ApigeeInventory implements GatewayInventory {
  private readonly plans: ApigeePlans;

  constructor(private readonly context: ApigeeContext) {
    this.plans = new ApigeePlans(context);
  }

  async developers(after: string | null): Promise<InventoryPage<FoundDeveloper>> {
    const list: ApigeeList<ReturnType<typeof developerOf>> = {
      place: places.developers,
      property: 'developer',
      read: developerOf,
      keyOf: ({ email }) => email,
      size: DEVELOPERS,
    };
    const { items, next } = await page(this.context.begin(), list, after);
    return { items: items.map((developer) => toFoundDeveloper(developer, this.context.marks)), next };
  }

  async developerByEmail(email: string): Promise<FoundDeveloper | null> {
    const address = this.context.platform === 'x' ? email.toLowerCase() : email;
    const found = await this.context.begin().find(places.developerOf(address), developerOf);
    return found ? toFoundDeveloper(found, this.context.marks) : null;
  }

  async apps(gatewayId: string): Promise<readonly FoundApp[]> {
    const list: ApigeeList<ApigeeAppRecord> = {
      place: places.apps(gatewayId),
      property: isAppGroup(gatewayId) ? 'appGroupApps' : 'app',
      read: appOf,
      keyOf: ({ name }) => name,
      size: APPS,
    };
    try {
      const read = isAppGroup(gatewayId) ? readTokenPages : readAll;
      const apps = await read(this.context.begin, list);
      const plansOf = this.plans.of.bind(this.plans);
      return apps.map((app) => toFoundApp(app, this.context.marks, plansOf));
    } catch (error) {
      if (error instanceof GatewayNotFoundError) return [];
      throw error;
    }
  }

  async claimDeveloper(gatewayId: string, portalId: string): Promise<void> {
    const calls = this.context.begin();
    const { email, firstName, lastName, userName, attributes } = await calls.get(
      places.developer(gatewayId),
      developerOf,
    );
    const body = { email, firstName, lastName, userName, attributes: this.addMark(attributes, portalId) };
    await calls.put(places.developerOf(email), body, developerOf);
  }

  async claimApp(gatewayId: string, name: string, portalId: string): Promise<void> {
    const calls = this.context.begin();
    const place = places.app(gatewayId, name);
    const { attributes, callbackUrl } = await calls.get(place, appOf);
    const callback = callbackUrl === null ? {} : { callbackUrl };
    await calls.put(place, { name, attributes: this.addMark(attributes, portalId), ...callback }, appOf);
  }

  async claimKey(gatewayId: string, appName: string, keyRef: string, portalId: string): Promise<void> {
    const calls = this.context.begin();
    const place = places.key(gatewayId, appName, keyRef);
    const { attributes } = await calls.get(place, keyOf);
    const body = keyChange(gatewayId, this.addMark(attributes, portalId));
    await calls.post(place, body, { isRepeatable: true, read: keyOf });
  }

  private addMark(attributes: Parameters<typeof withAttributes>[0], portalId: string) {
    return withAttributes(attributes, this.context.marks.of(portalId));
  }
}
