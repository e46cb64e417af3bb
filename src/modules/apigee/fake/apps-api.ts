import {
  actionOf,
  answerCreated,
  answerDone,
  type ApiRequest,
  attributesOf,
  countOf,
  type FakeApigeeAnswer,
  int64Of,
  isTrue,
  noContent,
  partOf,
  readState,
  requireText,
  readField,
  textsOf,
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers, ListShape } from './apigee-answers.js';
import { faults } from './apigee-fault.js';
import type { AppState, OwnerState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const PAGE = 100;
const NAME = { x: /^[A-Za-z0-9][A-Za-z0-9 _.#$%-]{0,254}$/, edge: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,254}$/ };

/** `developers/{developer}/apps` and `…/apps/{name}`. */
export class AppsApi {
  private readonly shape: ListShape<AppState>;

  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {
    this.shape = {
      property: 'app',
      record: (app) => answers.app(app),
      stub: ({ appId }) => ({ appId }),
      name: ({ name }) => name,
    };
  }

  handle(request: ApiRequest): FakeApigeeAnswer {
    const [collection, id = '', , name] = request.segments;
    const isAppGroup = collection === 'appgroups';
    const developer = this.organization.owner(collection, id);
    if (name === undefined) {
      if (request.method === 'GET' && isAppGroup) return this.listPages(developer, request.query);
      if (request.method === 'GET') return this.list(developer, request.query);
      if (request.method === 'POST') return answerCreated(this.answers.app(this.create(developer, request.body)));
      throw new UnknownCall();
    }
    const app = this.organization.app(developer, name);
    switch (request.method) {
      case 'GET':
        return answerDone(this.answers.app(app));
      case 'PUT':
        // An app group's app changes its state by PUT, and takes nothing by POST.
        return isAppGroup && request.query.has('action') ? this.act(app, request) : this.update(app, request.body);
      case 'POST':
        if (isAppGroup) throw new UnknownCall();
        return this.act(app, request);
      case 'DELETE':
        this.organization.removeApp(developer, app);
        return answerDone(this.answers.app(app));
      default:
        throw new UnknownCall();
    }
  }

  // Every new app gets a key, wanted or not.
  private create(developer: OwnerState, body: ApiRequest['body']): AppState {
    const { options } = this.organization;
    const name = requireText(body, 'name');
    if (!NAME[options.flavour].test(name)) throw faults.invalid(`Invalid app name ${name}`);
    const products = textsOf(body, 'apiProducts') ?? [];
    this.requireUsable(products);
    const expiresIn = this.expiresIn(body);
    const app = this.organization.addApp(developer, {
      name,
      callbackUrl: readField(body, 'callbackUrl'),
      attributes: attributesOf(body),
      scopes: textsOf(body, 'scopes') ?? [],
    });
    this.organization.generateKey(app, products, expiresIn);
    return app;
  }

  // Attributes and callback are cleared if not sent. Products in the body create a key, even if nothing changes (A5.1).
  private update(app: AppState, body: ApiRequest['body']): FakeApigeeAnswer {
    const products = textsOf(body, 'apiProducts');
    const expiresIn = this.expiresIn(body);
    if (products !== undefined) this.requireUsable(products);
    this.replace(app, body);
    if (products !== undefined) this.organization.generateKey(app, products, expiresIn);
    return answerDone(this.answers.app(app));
  }

  private act(app: AppState, request: ApiRequest): FakeApigeeAnswer {
    const verb = actionOf(request, ['approve', 'revoke']);
    if (verb !== undefined) {
      app.status = readState(verb);
      return noContent;
    }
    const products = textsOf(request.body, 'apiProducts') ?? [];
    this.requireUsable(products);
    const expiresIn = this.expiresIn(request.body);
    this.replace(app, request.body);
    this.organization.generateKey(app, products, expiresIn);
    return answerDone(this.answers.app(app));
  }

  private replace(app: AppState, body: ApiRequest['body']): void {
    const name = readField(body, 'name');
    if (name !== undefined && name !== app.name) throw faults.invalid('The name of an app cannot be changed');
    app.attributes = attributesOf(body);
    app.callbackUrl = readField(body, 'callbackUrl');
    app.lastModifiedAt = this.organization.now();
  }

  private requireUsable(products: readonly string[]): void {
    if (products.length === 0 && this.organization.options.productsRequired) throw faults.productsRequired();
    this.organization.requireProducts(products);
  }

  private expiresIn(body: ApiRequest['body']): number {
    const expiresIn = int64Of(body, 'keyExpiresIn') ?? -1;
    if (expiresIn === 0 || expiresIn < -1) throw faults.invalidExpiry();
    return expiresIn;
  }

  private list(developer: OwnerState, query: URLSearchParams): FakeApigeeAnswer {
    const { options } = this.organization;
    const apps = [...developer.apps.values()];
    const isWhole = options.flavour === 'edge' && options.cps === false;
    const part = { startKey: query.get('startKey'), count: countOf(query, PAGE), kind: 'app' };
    const items = isWhole ? apps : partOf(apps, ({ name }) => name, part);
    return answerDone(this.answers.list(items, this.shape, isTrue(query, 'expand') || isTrue(query, 'shallowExpand')));
  }

  // Names the next page only if the caller says how large pages are.
  private listPages(owner: OwnerState, query: URLSearchParams): FakeApigeeAnswer {
    const apps = [...owner.apps.values()];
    const first = Number(query.get('pageToken') ?? 0);
    const size = query.has('pageSize') ? countOf(query, PAGE, 'pageSize') : PAGE;
    const items = apps.slice(first, first + size).map((app) => this.answers.app(app));
    const hasMore = query.has('pageSize') && first + size < apps.length;
    const next = hasMore ? { nextPageToken: String(first + size) } : {};
    return answerDone({ ...(items.length > 0 && { appGroupApps: items }), ...next });
  }
}
