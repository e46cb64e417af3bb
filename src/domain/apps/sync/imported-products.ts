import type { Database } from '../../../database/index.js';
import type { GatewayProducts } from '../../../gateway/index.js';
import { productRecord } from '../../catalog/index.js';
import type { ProductDrafts } from '../contracts.js';

const LONGEST_ID = 100;

/** Maps the gateway's product names on keys to portal products; missing ones are created as drafts. */
export class ImportedProducts {
  private readonly ids = new Map<string, Promise<number | null>>();
  private readonly slugs = new Set<string>();
  private texts: Promise<ReadonlyMap<string, { displayName: string; description: string }>> | undefined;
  made = 0;

  constructor(
    private readonly database: Database,
    private readonly drafts: ProductDrafts,
    private readonly gateway: GatewayProducts,
    private readonly dryRun: boolean,
  ) {}

  async load(): Promise<void> {
    const rows = await productRecord.findAll(this.database, {}, { only: ['id', 'slug', 'gatewayProductId'] });
    for (const { id, slug, gatewayProductId } of rows) {
      this.ids.set(gatewayProductId, Promise.resolve(id));
      this.slugs.add(slug);
    }
  }

  /** Gateway name → id; products that cannot be created are absent. */
  async idsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const name of new Set(names)) {
      const known = this.ids.get(name) ?? this.make(name);
      this.ids.set(name, known);
      const id = await known;
      if (id !== null) found.set(name, id);
    }
    return found;
  }

  private async make(name: string): Promise<number | null> {
    if (name.length > LONGEST_ID) return null;
    this.made += 1;
    if (this.dryRun) return null;
    this.texts ??= this.gateway.list().then((list) => new Map(list.map((product) => [product.name, product])));
    const { displayName, description } = (await this.texts).get(name) ?? { displayName: '', description: '' };
    const product = await this.drafts.create({
      slug: this.slugFor(name),
      name: (displayName.trim() || name).slice(0, 200),
      shortDescription: description.slice(0, 500),
      visibility: 'draft',
      approval: 'auto',
      gatewayProductId: name,
    });
    return product.id;
  }

  private slugFor(name: string): string {
    const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['product'];
    const base = words.join('-').slice(0, 90);
    let slug = base;
    for (let number = 2; this.slugs.has(slug); number += 1) slug = `${base}-${number}`;
    this.slugs.add(slug);
    return slug;
  }
}
