import {
  type FoundApp,
  type FoundDeveloper,
  type FoundTeam,
  type GatewayInventory,
  GatewayNotFoundError,
  GatewayRefusedError,
  type InventoryPage,
} from '../../gateway/index.js';
import type { ApigeeContext } from './apigee-calls.js';
import { withAttributes } from './marks.js';
import { type ApigeeList, page, readAllPages, readTokenPages, tokenPage } from './paging.js';
import { groupId, isAppGroup, isGroup, places } from './place.js';
import { ApigeePlans } from './plans.js';
import {
  type ApigeeAppRecord,
  appOf,
  companyMembers,
  developerOf,
  groupMembers,
  groupOf,
  type GroupRecord,
  keyChange,
  keyOf,
  toFoundApp,
  toFoundDeveloper,
  toFoundTeam,
} from './records.js';

/** Apigee's maximum is 1000 developers, and 100 apps of one developer. */
const DEVELOPERS = 500;
/** Each company takes a call of its own for its people. */
const GROUPS = 100;
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

  async teams(after: string | null): Promise<InventoryPage<FoundTeam>> {
    const { platform, begin, marks } = this.context;
    const isX = platform === 'x';
    const collection = isX ? 'appgroups' : 'companies';
    const list: ApigeeList<GroupRecord> = {
      place: places.groups(collection),
      property: isX ? 'appGroups' : 'company',
      read: groupOf,
      keyOf: ({ name }) => name,
      size: GROUPS,
    };
    const { items, next } = await (isX ? tokenPage : page)(begin(), list, after).catch((error: unknown) => {
      if (after !== null || !isDenied(error)) throw error;
      // A portal without teams needs no permission for them.
      this.context.logger.warn({ err: error }, 'Apigee does not let the portal read its teams, which are left out');
      return { items: [], next: null };
    });
    const teams: FoundTeam[] = [];
    for (const group of items) {
      const id = groupId(collection, group.name);
      // A name that no address may have.
      if (!isGroup(id)) continue;
      const members = isX ? groupMembers(group) : ((await begin().find(places.members(id), companyMembers)) ?? []);
      teams.push(toFoundTeam(id, group, members, marks));
    }
    return { items: teams, next };
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
      const read = isAppGroup(gatewayId) ? readTokenPages : readAllPages;
      const apps = await read(this.context.begin, list);
      const plansOf = this.plans.of.bind(this.plans);
      return apps.map((app) => toFoundApp(app, this.context.marks, plansOf));
    } catch (error) {
      if (error instanceof GatewayNotFoundError) return [];
      throw error;
    }
  }

  async claimDeveloper(gatewayId: string, portalId: string): Promise<void> {
    if (isGroup(gatewayId)) return this.claimGroup(gatewayId, portalId);
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

  private async claimGroup(gatewayId: string, portalId: string): Promise<void> {
    const calls = this.context.begin();
    const { name, displayName, attributes } = await calls.get(places.owner(gatewayId), groupOf);
    const body = { name, displayName, attributes: this.addMark(attributes, portalId) };
    await calls.put(places.owner(gatewayId), body, groupOf);
  }

  private addMark(attributes: Parameters<typeof withAttributes>[0], portalId: string) {
    return withAttributes(attributes, this.context.marks.of(portalId));
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof GatewayRefusedError || error instanceof GatewayNotFoundError;
}
