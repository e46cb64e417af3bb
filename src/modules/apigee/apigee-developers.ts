import {
  type DeveloperAddress,
  GatewayConflictError,
  type GatewayDeveloper,
  type GatewayDevelopers,
  type GatewayDeveloperStatus,
  GatewayNotFoundError,
  GatewayRefusedError,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import { ApigeeTeams } from './apigee-teams.js';
import { withAttributes } from './marks.js';
import { isGroup, places } from './place.js';
import { developerOf, type DeveloperRecord } from './records.js';

/** X rejects longer first and last names. */
const LONGEST_NAME = 64;

/**
 * Developers are addressed by Apigee's own id, because an e-mail may be reassigned. Lookups by e-mail only accept a
 * developer with the portal's mark, so that nobody reaches one that the portal did not create (S70).
 */
export class ApigeeDevelopers implements GatewayDevelopers {
  private readonly teams: ApigeeTeams;

  constructor(private readonly context: ApigeeContext) {
    this.teams = new ApigeeTeams(context);
  }

  async ensure(developer: GatewayDeveloper): Promise<string> {
    const calls = this.context.begin();
    // A team of a time without groups stays the developer that it was made.
    const isTeam = developer.gatewayId ? isGroup(developer.gatewayId) : developer.isTeam;
    if (isTeam) return this.teams.ensure(calls, developer);
    const known = await this.lookUp(calls, developer);
    if (known === undefined) return (await this.create(calls, developer)).developerId;
    if (!this.isOurs(known, developer)) {
      const detail = `Apigee has a developer of that e-mail whom the portal did not make (${known.developerId})`;
      throw new GatewayConflictError({ detail: `${detail}. Fix: portal gateway:import takes them over` });
    }
    await this.update(calls, known, developer);
    return known.developerId;
  }

  async setStatus(developer: DeveloperAddress, status: GatewayDeveloperStatus): Promise<void> {
    const calls = this.context.begin();
    await calls.act(places.owner(await this.locate(calls, developer)), status);
  }

  async remove(developer: DeveloperAddress): Promise<void> {
    const calls = this.context.begin();
    if (isGroup(developer.gatewayId ?? '')) return this.teams.remove(calls, developer);
    const known = await this.lookUp(calls, developer);
    if (known === undefined || !this.isOurs(known, developer)) return;
    const place = places.developer(known.developerId);
    // X deletes keys asynchronously; until then they would still work.
    await calls.act(place, 'inactive').catch(ignoreMissing);
    await calls.remove(place);
  }

  /** Apigee's id of a developer that this portal created. @throws GatewayNotFoundError */
  async locate(calls: ApigeeCalls, developer: DeveloperAddress): Promise<string> {
    if (developer.gatewayId) return developer.gatewayId;
    const known = await calls.find(places.developerOf(this.emailOf(developer)), developerOf);
    if (known && this.isOurs(known, developer)) return known.developerId;
    throw new GatewayNotFoundError({ detail: `Apigee has no developer of portal id ${developer.id} with that e-mail` });
  }

  private async lookUp(calls: ApigeeCalls, developer: DeveloperAddress): Promise<DeveloperRecord | undefined> {
    const byId = developer.gatewayId ? await calls.find(places.developer(developer.gatewayId), developerOf) : undefined;
    return byId ?? calls.find(places.developerOf(this.emailOf(developer)), developerOf);
  }

  private async create(calls: ApigeeCalls, developer: GatewayDeveloper): Promise<DeveloperRecord> {
    const body = { ...this.person(developer), attributes: withAttributes([], this.context.marks.of(developer.id)) };
    // Also after a conflict with a concurrent request.
    const findOwn = async (): Promise<DeveloperRecord | undefined> => {
      const found = await calls.find(places.developerOf(body.email), developerOf);
      return found && this.isOurs(found, developer) ? found : undefined;
    };
    const options = { isRepeatable: false, read: developerOf, recover: findOwn };
    const created = await calls.post(places.developers, body, options).catch(async (error: unknown) => {
      const found = error instanceof GatewayConflictError ? await findOwn() : undefined;
      if (found) return found;
      throw error;
    });
    // Apigee creates every developer as active, whatever is sent.
    if (developer.status === 'inactive') await calls.act(places.developer(created.developerId), 'inactive');
    return created;
  }

  // Fields that are not sent are cleared. The path has the current e-mail: some runtimes of X compare it with the one in
  // the body, and refuse to change it at all.
  private async update(calls: ApigeeCalls, known: DeveloperRecord, developer: GatewayDeveloper): Promise<void> {
    const person = this.person(developer);
    const { marks } = this.context;
    const isSame = (Object.keys(person) as (keyof typeof person)[]).every((field) => person[field] === known[field]);
    if (isSame && marks.isOn(known, developer.id)) return;
    const place = places.developerOf(known.email);
    const attributes = withAttributes(known.attributes, marks.of(developer.id));
    try {
      await calls.put(place, { ...person, attributes }, developerOf);
    } catch (error) {
      const isMove = person.email !== known.email;
      if (!isMove || !(error instanceof GatewayRefusedError || error instanceof GatewayConflictError)) throw error;
      this.context.logger.warn({ err: error, user_id: developer.id }, 'Apigee keeps the former e-mail of a developer');
      const { email, userName } = known;
      await calls.put(place, { ...person, email, userName, attributes }, developerOf);
    }
  }

  private person(developer: GatewayDeveloper) {
    const email = this.emailOf(developer);
    const name = (value: string): string => {
      const trimmed = this.context.platform === 'x' ? value.slice(0, LONGEST_NAME).trim() : value.trim();
      return trimmed === '' ? '-' : trimmed;
    };
    return { email, firstName: name(developer.firstName), lastName: name(developer.lastName), userName: email };
  }

  // X accepts lower case only.
  private emailOf({ email }: DeveloperAddress): string {
    return this.context.platform === 'x' ? email.toLowerCase() : email;
  }

  // Developers that the portal knows by Apigee's own id may predate the installation's mark.
  private isOurs(record: DeveloperRecord, { id, gatewayId }: DeveloperAddress): boolean {
    const { marks } = this.context;
    return record.developerId === gatewayId ? marks.isOnOurs(record, id) : marks.isOn(record, id);
  }
}
