import {
  actionOf,
  answerCreated,
  answerDone,
  type ApiRequest,
  attributesOf,
  type FakeApigeeAnswer,
  int64Of,
  noContent,
  readState,
  requireText,
  textsOf,
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { AppState, KeyState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const MOST_BYTES = 2048;
const CHARACTERS = /^[A-Za-z0-9_-]+$/;

/** `…/apps/{name}/keys`, `…/keys/{key}` and `…/keys/{key}/apiproducts/{product}`. */
export class KeysApi {
  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {}

  handle(request: ApiRequest): FakeApigeeAnswer {
    const [collection, id = '', , name = '', , consumerKey, , product] = request.segments;
    const app = this.organization.app(this.organization.owner(collection, id), name);
    if (this.isImport(request)) return answerCreated(this.answers.key(this.take(app, request.body), true));
    if (consumerKey === undefined) throw new UnknownCall();
    const key = this.organization.key(app, consumerKey);
    if (product !== undefined) return this.handleProduct(key, product, request);
    switch (request.method) {
      case 'GET':
        return answerDone(this.answers.key(key));
      case 'POST':
        return this.update(key, request);
      case 'PUT':
        key.scopes = textsOf(request.body, 'scopes') ?? [];
        return answerDone(this.answers.key(key));
      case 'DELETE':
        this.organization.removeKey(app, key);
        return answerDone(this.answers.key(key));
      default:
        throw new UnknownCall();
    }
  }

  // `keys/create` on both platforms, `keys` on X only.
  private isImport({ method, segments, query }: ApiRequest): boolean {
    if (method !== 'POST' || query.has('action') || segments.length > 6) return false;
    const [, , , , , last] = segments;
    return last === 'create' || (last === undefined && this.organization.options.flavour === 'x');
  }

  // Ignores products and status of the body, which need calls of their own.
  private take(app: AppState, body: ApiRequest['body']): KeyState {
    const [consumerKey, consumerSecret] = [requireText(body, 'consumerKey'), requireText(body, 'consumerSecret')];
    for (const text of [consumerKey, consumerSecret]) {
      if (!CHARACTERS.test(text) || text.length > MOST_BYTES) throw faults.invalid('Invalid key or secret');
    }
    const isX = this.organization.options.flavour === 'x';
    const seconds = isX ? (int64Of(body, 'expiresInSeconds') ?? -1) : -1;
    if (seconds === 0 || seconds < -1) throw faults.invalidExpiry();
    const key = this.organization.addKey(app, { consumerKey, consumerSecret }, seconds === -1 ? -1 : seconds * 1000);
    key.attributes = attributesOf(body);
    key.scopes = textsOf(body, 'scopes') ?? [];
    return key;
  }

  private update(key: KeyState, request: ApiRequest): FakeApigeeAnswer {
    const verb = actionOf(request, ['approve', 'revoke']);
    if (verb !== undefined) {
      key.status = readState(verb);
      return noContent;
    }
    this.organization.addProducts(key, textsOf(request.body, 'apiProducts') ?? []);
    // A key of an app group takes its attributes in a record, and leaves them without one.
    const isAppGroup = request.segments[0] === 'appgroups';
    const record = isAppGroup ? request.body.appGroupAppKey : request.body;
    if (record !== undefined) key.attributes = attributesOf(record as ApiRequest['body']);
    return answerDone(this.answers.key(key));
  }

  private handleProduct(key: KeyState, product: string, request: ApiRequest): FakeApigeeAnswer {
    if (!key.products.has(product)) throw faults.notAssociated();
    if (request.method === 'DELETE') {
      key.products.delete(product);
      return answerDone(this.answers.key(key));
    }
    if (request.method !== 'POST') throw new UnknownCall();
    const verb = actionOf(request, ['approve', 'revoke']);
    if (verb === undefined) throw faults.invalid('action is required');
    key.products.set(product, readState(verb));
    return noContent;
  }
}
