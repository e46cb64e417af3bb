import { openDatabase } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/kernel/index.js';
import { testConfig } from '../database-config.js';

/** A public product that needs no approval, beside whatever serves that database. */
export async function insertProduct(databaseUrl: string, slug: string): Promise<void> {
  const database = openDatabase(testConfig(databaseUrl), { logger: silentLogger });
  const now = new Date();
  await database.execute(
    `INSERT INTO portal_products
      (slug, name, description, visibility, approval, gateway_product_id, custom_attributes, created_at, updated_at)
      VALUES (?, ?, ?, 'public', 'auto', ?, '{}', ?, ?)`,
    [slug, slug, slug, slug, now, now],
  );
  await database.close();
}
