import type { Database } from '../../database/index.js';
import type { Gateway, GatewayProduct } from '../../gateway/index.js';
import { ValidationError, type ListOptions, type ListQuery, type ListPage } from '../../core/index.js';
import { productRecord } from './products/product.js';

/** A gateway product, and the portal product mapped to it. */
export interface GatewayCatalogEntry extends GatewayProduct {
  readonly product: { readonly id: number; readonly slug: string } | null;
}

const FIELDS = { name: 'name', display_name: 'displayName' } as const;
type SortName = keyof typeof FIELDS;

/** List options for the gateway's products. */
export const gatewayProductListOptions: ListOptions = {
  sorts: Object.keys(FIELDS),
  filters: {},
  relations: [],
  searchable: true,
};

/** Products that the gateway offers right now. Sorted and searched here, because gateways differ too much in that. */
export class GatewayCatalog {
  constructor(
    private readonly gateway: Gateway,
    private readonly database: Database,
  ) {}

  /**
   * Sorted by name unless the query says otherwise.
   * @throws GatewayError, ServiceUnavailableError; ValidationError on `cursor`
   */
  async list(query: ListQuery): Promise<ListPage<GatewayCatalogEntry>> {
    const driver = await this.gateway();
    const { page, perPage, cursor } = query;
    const sorted = orderProducts(searchProducts(await driver.products.list(), query.q), query);
    const start = cursor === undefined ? (page - 1) * perPage : findStart(sorted, cursor);
    const items = sorted.slice(start, start + perPage);
    const last = items.at(-1);
    const more = start + perPage < sorted.length;
    return {
      items: await this.withPortalProducts(items),
      perPage,
      page: cursor === undefined ? page : null,
      total: cursor === undefined ? sorted.length : null,
      nextCursor: more && last ? Buffer.from(last.name).toString('base64url') : null,
    };
  }

  private async withPortalProducts(items: readonly GatewayProduct[]): Promise<GatewayCatalogEntry[]> {
    const where = { gatewayProductId: items.map(({ name }) => name) };
    const rows = await productRecord.findAll(this.database, where, { only: ['id', 'slug', 'gatewayProductId'] });
    const byName = new Map(rows.map(({ gatewayProductId, id, slug }) => [gatewayProductId, { id, slug }]));
    return items.map(({ name, displayName, description }) => ({
      ...{ name, displayName, description },
      product: byName.get(name) ?? null,
    }));
  }
}

function searchProducts(products: readonly GatewayProduct[], q = ''): GatewayProduct[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return products.filter(({ name, displayName, description }) => {
    const text = `${name} ${displayName} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function orderProducts(products: GatewayProduct[], { orderBy, direction }: ListQuery): GatewayProduct[] {
  const field = FIELDS[(orderBy ?? 'name') as SortName];
  const sign = orderBy !== undefined && direction === 'DESC' ? -1 : 1;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return products.sort((a, b) => sign * (compare(a[field], b[field]) || compare(a.name, b.name)));
}

function findStart(sorted: readonly GatewayProduct[], cursor: string): number {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  const at = sorted.findIndex((product) => product.name === name);
  if (at !== -1) return at + 1;
  throw new ValidationError({ cursor: ['The cursor does not belong to this list. Start again without one.'] });
}
