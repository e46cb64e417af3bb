import { fullName } from '../../domain/accounts/index.js';
import type { AudienceRecord } from '../../domain/catalog/index.js';

/** Includes members and products only when they were loaded. */
export function presentAudience({ users, products, ...audience }: AudienceRecord) {
  return {
    id: audience.id,
    name: audience.name,
    description: audience.description,
    users_count: audience.usersCount,
    products_count: audience.productsCount,
    ...(users && { users: users.map((user) => ({ id: user.id, email: user.email, full_name: fullName(user) })) }),
    ...(products && { products: products.map(({ id, slug, name }) => ({ id, slug, name })) }),
    created_at: audience.createdAt,
    updated_at: audience.updatedAt,
  };
}
