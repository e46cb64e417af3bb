import {
  answerDone,
  type ApiRequest,
  countOf,
  type FakeApigeeAnswer,
  isTrue,
  partOf,
  UnknownCall,
} from './api-request.js';
import type { ApigeeAnswers, ListShape } from './apigee-answers.js';
import { ApigeeFault } from './apigee-fault.js';
import type { AppState, FakeApigeeProduct } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const PAGE = 1000;

/** `organizations/{org}` itself, `apiproducts` and the apps of all developers. */
export class OrganizationApi {
  private readonly products: ListShape<FakeApigeeProduct>;
  private readonly apps: (withKeys: boolean) => ListShape<AppState>;

  constructor(
    private readonly organization: ApigeeOrganization,
    private readonly answers: ApigeeAnswers,
  ) {
    this.products = {
      property: 'apiProduct',
      record: (product) => answers.product(product),
      stub: ({ name }) => ({ name }),
      name: ({ name }) => name,
    };
    this.apps = (withKeys) => ({
      property: 'app',
      record: (app) => answers.organizationApp(app, withKeys),
      stub: ({ appId }) => ({ appId }),
      name: ({ appId }) => appId,
    });
  }

  handle({ method, segments, query }: ApiRequest): FakeApigeeAnswer {
    if (method !== 'GET') throw new UnknownCall();
    const [collection, name] = segments;
    if (collection === undefined) return answerDone(this.self());
    if (collection === 'apiproducts') return name === undefined ? this.listProducts(query) : this.product(name);
    return name === undefined
      ? this.listApps(query)
      : answerDone(this.answers.organizationApp(this.organization.appById(name), true));
  }

  private self(): unknown {
    const { cps = true, productsRequired = false } = this.organization.options;
    return this.answers.org({ cps, productsRequired });
  }

  private product(name: string): FakeApigeeAnswer {
    const product = this.organization.products.get(name);
    if (!product) {
      const text = `API Product [${name}] does not exist`;
      throw new ApigeeFault(404, 'keymanagement.service.apiproduct_doesnot_exist', text);
    }
    return answerDone(this.answers.product(product));
  }

  private listProducts(query: URLSearchParams): FakeApigeeAnswer {
    const { options, products } = this.organization;
    const [wanted, value] = [query.get('attributename'), query.get('attributevalue')];
    const chosen = [...products.values()].filter(
      ({ attributes = [] }) =>
        wanted === null || attributes.some((attribute) => attribute.name === wanted && attribute.value === value),
    );
    const isWhole = options.flavour === 'edge' && options.cps === false;
    const part = { startKey: query.get('startKey'), count: countOf(query, PAGE), kind: 'apiproduct' };
    const items = isWhole ? chosen : partOf(chosen, ({ name }) => name, part);
    return answerDone(this.answers.list(items, this.products, isTrue(query, 'expand')));
  }

  // By default, `status` and `keyStatus` hide what was revoked.
  private listApps(query: URLSearchParams): FakeApigeeAnswer {
    const [status, keyStatus] = [query.get('status') ?? 'approved', query.get('keyStatus') ?? 'approved'];
    const [ids, product] = [query.get('ids')?.split(','), query.get('apiProduct')];
    const chosen = this.organization
      .apps()
      .filter(
        (app) =>
          app.status === status &&
          (app.keys.length === 0 || app.keys.some((key) => key.status === keyStatus)) &&
          (ids === undefined || ids.includes(app.appId)) &&
          (product === null || app.keys.some((key) => key.products.has(product))),
      );
    const { items, more } = this.appsPage(chosen, query);
    const list = this.answers.list(items, this.apps(isTrue(query, 'includeCred')), isTrue(query, 'expand'));
    return answerDone(more === undefined ? list : { ...(list as object), nextPageToken: more });
  }

  // With `pageSize`, X pages by token, and omits the token on the last page.
  private appsPage(apps: readonly AppState[], query: URLSearchParams): { items: readonly AppState[]; more?: string } {
    if (this.organization.options.flavour === 'x' && query.has('pageSize')) {
      const start = Number(query.get('pageToken') ?? 0);
      const end = start + countOf(query, PAGE, 'pageSize');
      return { items: apps.slice(start, end), ...(end < apps.length && { more: String(end) }) };
    }
    const part = { startKey: query.get('startKey'), count: countOf(query, PAGE, 'rows'), kind: 'app' };
    return { items: partOf(apps, ({ appId }) => appId, part) };
  }
}
