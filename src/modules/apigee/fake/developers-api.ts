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
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers, ListShape } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { DeveloperState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const PAGE = 1000;
const MOST_ATTRIBUTES = 18;

/** `developers` and `developers/{developer}`. */
export class DevelopersApi {
  private readonly shape: ListShape<DeveloperState>;

  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {
    this.shape = {
      property: 'developer',
      record: (developer) => answers.developer(developer),
      stub: ({ email }) => ({ email }),
      name: ({ email }) => email,
    };
  }

  handle(request: ApiRequest): FakeApigeeAnswer {
    const [, id] = request.segments;
    if (id === undefined) {
      if (request.method === 'GET') return this.list(request.query);
      if (request.method === 'POST') return answerCreated(this.answers.developer(this.create(request)));
      throw new UnknownCall();
    }
    const developer = this.organization.developer(id);
    switch (request.method) {
      case 'GET':
        return answerDone(this.answers.developer(developer));
      case 'PUT':
        return this.update(developer, request);
      case 'POST':
        return this.act(developer, request);
      case 'DELETE':
        this.organization.removeDeveloper(developer);
        return answerDone(this.answers.developer(developer));
      default:
        throw new UnknownCall();
    }
  }

  private create(request: ApiRequest): DeveloperState {
    return this.organization.addDeveloper(this.person(request.body));
  }

  // Replaces all but the status, which a PUT cannot change.
  private update(developer: DeveloperState, request: ApiRequest): FakeApigeeAnswer {
    const { email, ...rest } = this.person(request.body);
    if (email !== developer.email) {
      if (this.organization.options.fixedEmails) throw faults.nameMismatch();
      this.organization.moveDeveloper(developer, email);
    }
    Object.assign(developer, rest, { lastModifiedAt: this.organization.now() });
    return answerDone(this.answers.developer(developer));
  }

  private act(developer: DeveloperState, request: ApiRequest): FakeApigeeAnswer {
    const status = actionOf(request, ['active', 'inactive']);
    if (status === undefined) throw faults.invalid('action is required');
    developer.status = status;
    return noContent;
  }

  private person(body: ApiRequest['body']) {
    const isX = this.organization.options.flavour === 'x';
    const email = requireText(body, 'email');
    if (isX && email !== email.toLowerCase()) throw faults.invalid('email must be in lower case');
    const attributes = attributesOf(body, 'attributes', isX ? MOST_ATTRIBUTES : undefined);
    const [firstName, lastName] = [requireText(body, 'firstName'), requireText(body, 'lastName')];
    if (isX && Math.max(firstName.length, lastName.length) > 64)
      throw faults.invalid('A name has 64 characters at most');
    return { email, firstName, lastName, userName: requireText(body, 'userName'), attributes };
  }

  private list(query: URLSearchParams): FakeApigeeAnswer {
    const { options, developers } = this.organization;
    const [app, ids] = [query.get('app'), query.get('ids')];
    const chosen = [...developers.values()].filter(
      ({ apps, developerId }) =>
        (app === null || apps.has(app)) && (ids === null || ids.split(',').includes(developerId)),
    );
    const isWhole = options.flavour === 'edge' && options.cps === false;
    const part = { startKey: query.get('startKey'), count: countOf(query, PAGE), kind: 'developer' };
    const items = isWhole ? chosen : partOf(chosen, ({ email }) => email, part);
    return answerDone(this.answers.list(items, this.shape, isTrue(query, 'expand')));
  }
}
