import {
  actionOf,
  answerCreated,
  answerDone,
  type ApiRequest,
  attributesOf,
  countOf,
  type FakeApigeeAnswer,
  isTrue,
  noContent,
  partOf,
  requireText,
  readField,
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { GroupState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const PAGE = 1000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** `appgroups` of X and `companies` of Edge, and one of them. */
export class GroupsApi {
  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {}

  handle(request: ApiRequest): FakeApigeeAnswer {
    const [, name, part] = request.segments;
    if (name === undefined) {
      if (request.method === 'GET') return this.list(request.query);
      if (request.method !== 'POST') throw new UnknownCall();
      return answerCreated(this.answers.group(this.create(request.body)));
    }
    const group = this.organization.group(name);
    if (part !== undefined) return this.members(group, request);
    // X changes a state by PUT, Edge by POST.
    const isX = this.organization.options.flavour === 'x';
    if (request.method === (isX ? 'PUT' : 'POST') && request.query.has('action')) return this.act(group, request);
    switch (request.method) {
      case 'GET':
        return answerDone(this.answers.group(group));
      case 'PUT':
        return this.update(group, request.body);
      case 'DELETE':
        this.organization.removeGroup(group);
        return answerDone(this.answers.group(group));
      default:
        throw new UnknownCall();
    }
  }

  // X has pages of its own kind, Edge those of all of its lists.
  private list(query: URLSearchParams): FakeApigeeAnswer {
    const groups = [...this.organization.groups.values()];
    const records = (some: readonly GroupState[]) => some.map((group) => this.answers.group(group));
    if (this.organization.options.flavour === 'x') {
      const first = Number(query.get('pageToken') ?? 0);
      const size = query.has('pageSize') ? countOf(query, PAGE, 'pageSize') : PAGE;
      const items = records(groups.slice(first, first + size));
      const hasMore = query.has('pageSize') && first + size < groups.length;
      const next = hasMore ? { nextPageToken: String(first + size) } : {};
      return answerDone({ ...(items.length > 0 && { appGroups: items }), ...next });
    }
    const part = { startKey: query.get('startKey'), count: countOf(query, PAGE), kind: 'company' };
    const isWhole = this.organization.options.cps === false;
    const items = isWhole ? groups : partOf(groups, ({ name }) => name, part);
    return answerDone(isTrue(query, 'expand') ? { company: records(items) } : items.map(({ name }) => name));
  }

  /** `companies/{company}/developers`: only Edge knows who is in a team. */
  private members(group: GroupState, { method }: ApiRequest): FakeApigeeAnswer {
    if (method !== 'GET') throw new UnknownCall();
    return answerDone({ developer: group.members ?? [] });
  }

  private create(body: ApiRequest['body']): GroupState {
    const name = requireText(body, 'name');
    if (!NAME.test(name)) throw faults.invalid(`Invalid name ${name}`);
    return this.organization.addGroup({
      name,
      displayName: readField(body, 'displayName') ?? '',
      attributes: attributesOf(body),
    });
  }

  // Clears what is not sent.
  private update(group: GroupState, body: ApiRequest['body']): FakeApigeeAnswer {
    if (requireText(body, 'name') !== group.name) throw faults.invalid('The name of a group cannot be changed');
    group.displayName = readField(body, 'displayName') ?? '';
    group.attributes = attributesOf(body);
    group.lastModifiedAt = this.organization.now();
    return answerDone(this.answers.group(group));
  }

  private act(group: GroupState, request: ApiRequest): FakeApigeeAnswer {
    const status = actionOf(request, ['active', 'inactive']);
    if (status !== undefined) group.status = status;
    return noContent;
  }
}
