import type { Database } from '../../database/index.js';
import type { GatewayProduct, GatewayProducts } from '../contract.js';

/** The local gateway uses the portal's own products, drafts included. */
export class LocalProducts implements GatewayProducts {
  constructor(private readonly database: Database) {}

  list(): Promise<readonly GatewayProduct[]> {
    return this.database.select<GatewayProduct>(
      `SELECT gateway_product_id AS name, name AS displayName, short_description AS description
       FROM portal_products ORDER BY gateway_product_id`,
    );
  }
}
