import type { GatewayProduct, GatewayProducts } from '../../gateway/index.js';
import type { ApigeeContext } from './apigee-calls.js';
import { type ApigeeList, readAll } from './paging.js';
import { places } from './place.js';

/** Apigee's maximum is 1000, but records with all their operations are large. */
const PAGE = 200;

const products: ApigeeList<GatewayProduct> = {
  place: places.products,
  property: 'apiProduct',
  read: productOf,
  keyOf: ({ name }) => name,
  size: PAGE,
};

/** Products are referenced by their internal name, which never changes. */
export class ApigeeProducts implements GatewayProducts {
  constructor(private readonly context: ApigeeContext) {}

  list(): Promise<readonly GatewayProduct[]> {
    return readAll(this.context.begin, products);
  }
}

function productOf(value: unknown): GatewayProduct {
  const { name, displayName, description } = value as Readonly<Record<string, unknown>>;
  const text = (content: unknown, fallback: string): string =>
    typeof content === 'string' && content !== '' ? content : fallback;
  return { name: text(name, ''), displayName: text(displayName, text(name, '')), description: text(description, '') };
}
