import { answerDone, type ApiRequest, attributesOf, type FakeApigeeAnswer, UnknownCall } from './api-request.js';
import { ApigeeAnswers } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { AppState, DeveloperState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';
import { AppsApi } from './apps-api.js';
import { DevelopersApi } from './developers-api.js';
import { GroupsApi } from './groups-api.js';
import { KeysApi } from './keys-api.js';
import { OrganizationApi } from './organization-api.js';
import { StatisticsApi } from './statistics-api.js';

/** The management API of one organization, as far as portals use it. */
export class ApigeeApi {
  private readonly developers: DevelopersApi;
  private readonly groups: GroupsApi;
  private readonly apps: AppsApi;
  private readonly keys: KeysApi;
  private readonly whole: OrganizationApi;
  private readonly statistics: StatisticsApi;

  constructor(private readonly organization: ApigeeOrganization) {
    const answers = new ApigeeAnswers(organization.options.flavour, organization.name);
    this.developers = new DevelopersApi(organization, answers);
    this.groups = new GroupsApi(organization, answers);
    this.apps = new AppsApi(organization, answers);
    this.keys = new KeysApi(organization, answers);
    this.whole = new OrganizationApi(organization, answers);
    this.statistics = new StatisticsApi(organization);
  }

  private groupCollection(): string {
    return this.organization.options.flavour === 'x' ? 'appgroups' : 'companies';
  }

  /** @throws ApigeeFault, UnknownCall */
  handle(request: ApiRequest): FakeApigeeAnswer {
    const [collection, id = '', part, name, more, last, products] = request.segments;
    if (request.segments.length > 8) throw new UnknownCall();
    if (collection === 'environments') return this.statistics.handle(request);
    if (collection === this.groupCollection()) {
      const isMembers = part === 'developers' && name === undefined && collection === 'companies';
      if (part === undefined || isMembers) return this.groups.handle(request);
    } else if (collection !== 'developers') {
      if (collection !== undefined && collection !== 'apiproducts' && collection !== 'apps') throw new UnknownCall();
      return this.whole.handle(request);
    }
    if (part === undefined) return this.developers.handle(request);
    const isDeveloper = collection === 'developers';
    if (part === 'attributes' && isDeveloper) return handleAttributes(this.organization.developer(id), name, request);
    if (part !== 'apps') throw new UnknownCall();
    if (more === undefined) return this.apps.handle(request);
    // Apps of app groups take their attributes with everything else.
    if (more === 'attributes' && collection !== 'appgroups') {
      return handleAttributes(
        this.organization.app(this.organization.owner(collection, id), name ?? ''),
        last,
        request,
      );
    }
    if (more !== 'keys' || (products !== undefined && products !== 'apiproducts')) throw new UnknownCall();
    return this.keys.handle(request);
  }
}

/** `{record}/attributes` and `{record}/attributes/{name}` of developers and apps. */
function handleAttributes(
  record: AppState | DeveloperState,
  name: string | undefined,
  { method, body }: ApiRequest,
): FakeApigeeAnswer {
  if (name === undefined) {
    if (method === 'POST') record.attributes = attributesOf(body, 'attribute');
    else if (method !== 'GET') throw new UnknownCall();
    return answerDone({ attribute: record.attributes });
  }
  const attribute = record.attributes.find((candidate) => candidate.name === name);
  if (!attribute) throw faults.attributeUnknown(name);
  if (method === 'DELETE') record.attributes = record.attributes.filter((other) => other !== attribute);
  else if (method !== 'GET') throw new UnknownCall();
  return answerDone(attribute);
}
