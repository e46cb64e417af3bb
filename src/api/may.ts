import { ForbiddenError } from '../core/index.js';
import type { PortalServices } from '../domain/services.js';

/** Whether an admin may do something to a resource: what the policy of a route asks, without a refusal. */
export async function may(
  { authorizer }: PortalServices,
  admin: { readonly id: number },
  ability: 'view' | 'update',
  resource: string,
): Promise<boolean> {
  try {
    await authorizer.authorize(admin, ability, resource);
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}
