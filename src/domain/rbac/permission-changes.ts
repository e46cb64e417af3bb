import { UniqueViolationError, type Database, type Lists, type Transaction } from '../../database/index.js';
import { ValidationError, type Clock, type EventBus } from '../../core/index.js';
import type { RbacService } from './rbac-service.js';
import type { ShippedNames } from './shipped.js';

/** Dependencies of the services that change roles, permissions and admins. */
export interface PermissionChangeParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly rbac: RbacService;
  readonly shipped: ShippedNames;
}

/**
 * Runs a permission change: under the shared lock, and clears every replica's grant cache.
 * @throws ValidationError on `name` when that is taken
 */
export async function changePermissions<T>(
  { database, rbac }: PermissionChangeParts,
  what: string,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (transaction) => {
      await rbac.rules.lock(transaction);
      rbac.refreshAfter(transaction);
      return change(transaction);
    });
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    throw new ValidationError({ name: [`The name is already taken by another ${what}.`] }, { cause: error });
  }
}
