import { NotFoundError, type Database } from 'portalkit';

export interface Tenant {
  readonly id: number;
  /** Of the audience, and in addresses. */
  readonly name: string;
}

export interface TenantProduct {
  readonly slug: string;
  readonly name: string;
}

/** Tenants are audiences. */
export class Tenants {
  constructor(private readonly database: Database) {}

  /** Those of a developer. */
  of(userId: number): Promise<Tenant[]> {
    return this.database.select<Tenant>(
      `SELECT a.id AS id, a.name AS name FROM portal_audiences AS a
         JOIN portal_audience_users AS m ON m.audience_id = a.id WHERE m.user_id = ? ORDER BY a.name`,
      [userId],
    );
  }

  /** @throws NotFoundError for a tenant that is missing or somebody else's, alike */
  async find(name: string, userId: number): Promise<Tenant> {
    const tenant = (await this.of(userId)).find((candidate) => candidate.name === name);
    if (!tenant) throw new NotFoundError();
    return tenant;
  }

  products({ id }: Tenant): Promise<TenantProduct[]> {
    return this.database.select<TenantProduct>(
      `SELECT p.slug AS slug, p.name AS name FROM portal_products AS p
         JOIN portal_audience_products AS t ON t.product_id = p.id
        WHERE t.audience_id = ? AND p.visibility <> 'draft' ORDER BY p.slug`,
      [id],
    );
  }
}
