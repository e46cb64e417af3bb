import {
  actionOf,
  answerCreated,
  answerDone,
  type ApiRequest,
  attributesOf,
  type FakeApigeeAnswer,
  noContent,
  requireText,
  textOf,
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { GroupState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** `appgroups` of X and `companies` of Edge, and one of them. */
export class GroupsApi {
  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {}

  handle(request: ApiRequest): FakeApigeeAnswer {
    const [, name] = request.segments;
    if (name === undefined) {
      if (request.method !== 'POST') throw new UnknownCall();
      return answerCreated(this.answers.group(this.create(request.body)));
    }
    const group = this.organization.group(name);
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

  private create(body: ApiRequest['body']): GroupState {
    const name = requireText(body, 'name');
    if (!NAME.test(name)) throw faults.invalid(`Invalid name ${name}`);
    return this.organization.addGroup({
      name,
      displayName: textOf(body, 'displayName') ?? '',
      attributes: attributesOf(body),
    });
  }

  // Clears what is not sent.
  private update(group: GroupState, body: ApiRequest['body']): FakeApigeeAnswer {
    if (requireText(body, 'name') !== group.name) throw faults.invalid('The name of a group cannot be changed');
    group.displayName = textOf(body, 'displayName') ?? '';
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
