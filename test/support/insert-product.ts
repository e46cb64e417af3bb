import { openDatabase, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { testConfig } from './database-config.js';

/** Public products that need no approval, written past the portal. */
export async function insertProducts(database: Database, slugs: readonly string[]): Promise<void> {
  const now = new Date();
  await database.execute(
    `INSERT INTO portal_products
       (slug, name, description, visibility, approval, gateway_product_id, custom_attributes, created_at, updated_at)
     VALUES ${slugs.map(() => "(?, ?, '', 'public', 'auto', ?, '{}', ?, ?)").join(', ')}`,
    slugs.flatMap((slug) => [slug, slug, slug, now, now]),
  );
}

/** One of them. */
export async function insertProduct(database: Database, slug: string): Promise<void> {
  await insertProducts(database, [slug]);
}

/** The same, beside whatever serves that database. */
export async function insertProductBeside(databaseUrl: string, slug: string): Promise<void> {
  const database = openDatabase(testConfig(databaseUrl), { logger: silentLogger });
  await insertProduct(database, slug);
  await database.close();
}
