import { GatewayConflictError, type GatewayDeveloper, type DeveloperAddress } from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import { readAttribute, withAttributes } from './marks.js';
import { groupId, groupName, places, type GroupCollection } from './place.js';
import { groupOf, MEMBERS, membersText, type GroupRecord } from './records.js';

/** Characters of the installation's id in a name, enough to tell portals that share an organization apart. */
const INSTALLATION = 12;

/**
 * Teams: app groups of X, companies of Edge. The portal names those that it makes, so that none has to be looked for; others it
 * took over by their own name.
 */
export class ApigeeTeams {
  private readonly collection: GroupCollection;

  constructor(private readonly context: ApigeeContext) {
    this.collection = context.platform === 'x' ? 'appgroups' : 'companies';
  }

  /** @returns the id that stands for it from then on. @throws GatewayConflictError for one that the portal did not make */
  async ensure(calls: ApigeeCalls, team: GatewayDeveloper): Promise<string> {
    const { marks } = this.context;
    const id = team.gatewayId ?? groupId(this.collection, this.nameOf(team));
    const known = await calls.find(places.owner(id), groupOf);
    if (known === undefined) await this.create(calls, id, team);
    else if (!marks.isOn(known, team.id)) {
      throw new GatewayConflictError({ detail: `Apigee has a group ${known.name} that the portal did not make` });
    } else await this.update(calls, id, known, team);
    return id;
  }

  async remove(calls: ApigeeCalls, { id, gatewayId }: DeveloperAddress): Promise<void> {
    const place = places.owner(gatewayId ?? '');
    const known = await calls.find(place, groupOf);
    if (known === undefined || !this.context.marks.isOn(known, id)) return;
    await calls.act(place, 'inactive').catch(ignoreMissing);
    await calls.remove(place);
  }

  private async create(calls: ApigeeCalls, id: string, team: GatewayDeveloper): Promise<void> {
    const attributes = this.withMembers(withAttributes([], this.context.marks.of(team.id)), team);
    const body = { name: groupName(id), displayName: team.firstName, attributes };
    const findOwn = () => calls.find(places.owner(id), groupOf);
    const options = { isRepeatable: false, read: groupOf, recover: findOwn };
    await calls.post(places.groups(this.collection), body, options).catch(async (error: unknown) => {
      // A concurrent request made it.
      const found = error instanceof GatewayConflictError ? await findOwn() : undefined;
      if (!found || !this.context.marks.isOn(found, team.id)) throw error;
    });
    if (team.status === 'inactive') await calls.act(places.owner(id), 'inactive');
  }

  // What others wrote stays; fields that are not sent are cleared.
  private async update(calls: ApigeeCalls, id: string, known: GroupRecord, team: GatewayDeveloper): Promise<void> {
    const { name } = known;
    // Who is in a group that was there before is kept by whoever made it.
    const isOurs = id === groupId(this.collection, this.nameOf(team));
    const attributes = isOurs ? this.withMembers(known.attributes, team) : known.attributes;
    const isSame = readAttribute(known, MEMBERS) === readAttribute({ attributes }, MEMBERS);
    if (known.displayName === team.firstName && isSame) return;
    await calls.put(places.owner(id), { name, displayName: team.firstName, attributes }, groupOf);
  }

  // Only app groups show them: the members of a company are developers of Edge, which not everybody in a team is.
  private withMembers(attributes: GroupRecord['attributes'], { members }: GatewayDeveloper): GroupRecord['attributes'] {
    if (members === undefined || this.collection !== 'appgroups') return attributes;
    return withAttributes(attributes, { [MEMBERS]: membersText(members) });
  }

  private nameOf({ id }: Pick<GatewayDeveloper, 'id'>): string {
    return `portal-${this.context.marks.shortenInstallation(INSTALLATION)}-${id}`;
  }
}
