import { defineList, placeholders, type ListScope, type SqlValue } from '../../../database/index.js';
import {
  mapPage,
  ValidationError,
  type ListFilter,
  type ListOptions,
  type ListQuery,
  type ListPage,
} from '../../../core/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { AppReadModel, type AppView } from './app-read-model.js';
import { appList, appRecord, type AppRecord } from './app.js';
import { APPS_WITH_PRODUCT, WAITING_APPS } from '../app-queries.js';

/** The list of a developer's apps plus admin-only filters: owner, and whether a decision is pending. */
const directoryList = defineList<AppRecord>({
  ...appList.definition,
  name: 'apps.all',
  sorts: { ...appList.definition.sorts, name: appRecord.describeColumn('name') },
  filters: {
    ...appList.definition.filters,
    first_called_at: appRecord.describeColumn('firstCalledAt'),
    user: appRecord.describeColumn('userId'),
    email: { column: 'u.email', type: 'string' },
    // The account of a team has its name.
    team: { column: "CASE WHEN u.kind = 'team' THEN u.first_name END", type: 'string' },
  },
  search: [...appList.definition.search, 'u.email'],
  relations: [...appList.definition.relations, 'user'],
});

/** What admins may query on the list of all apps. */
export const appDirectoryOptions: ListOptions = {
  ...directoryList.options,
  filters: { ...directoryList.options.filters, product: 'string', waiting: 'boolean' },
};

/** The developer of an app, or the account of a team. */
export type AppOwner = Pick<UserRecord, 'id' | 'email' | 'firstName' | 'lastName' | 'status' | 'kind'>;

export interface OwnedAppView extends AppView {
  /** null unless the list was asked to include it. */
  readonly owner: AppOwner | null;
}

interface Part {
  readonly join?: string;
  readonly joined?: readonly SqlValue[];
  readonly where?: string;
  readonly values?: readonly SqlValue[];
}

/** The apps of all developers, for admins. */
export class AppDirectory {
  private readonly readModel: AppReadModel;

  constructor(private readonly parts: AppParts) {
    this.readModel = new AppReadModel(parts);
  }

  /** @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<OwnedAppView>> {
    const { filters, scope } = this.scope(query);
    const page = await this.parts.lists.run(directoryList, { ...query, filters }, { scope });
    const views = await this.readModel.page(page, query.with);
    const owners = query.with.includes('user') ? await this.ownersOf(page.items) : null;
    return mapPage(views, (view) => ({ ...view, owner: owners?.get(view.app.userId) ?? null }));
  }

  private scope(query: ListQuery): { filters: readonly ListFilter[]; scope: ListScope } {
    // Nearly all rows match: written so that the planner uses the index of the sort order, not one on `sync_state`.
    const parts: Part[] = [{ where: "(a.sync_state = 'creating') = 0" }];
    const filters: ListFilter[] = [];
    for (const filter of query.filters) {
      if (filter.field === 'waiting') parts.push(this.waitingCondition(filter));
      else if (filter.field === 'product') parts.push(withProduct(filter));
      else filters.push(filter);
    }
    if (query.q !== undefined || filters.some(({ field }) => field === 'email' || field === 'team')) {
      parts.push({ join: 'JOIN portal_users u ON u.id = a.user_id' });
    }
    const where = parts.flatMap((part) => part.where ?? []).join(' AND ');
    const join = parts.flatMap((part) => part.join ?? []).join(' ');
    const values = [...parts.flatMap(({ joined = [] }) => joined), ...parts.flatMap(({ values = [] }) => values)];
    return { filters, scope: { where, values, join } };
  }

  // Joined instead of checked per row: few apps wait, and indexes find them.
  private waitingCondition({ operator, value }: ListFilter): Part {
    if (operator !== 'eq' && operator !== 'ne') throw refusal('waiting', ['eq', 'ne']);
    const now = this.parts.clock.now();
    const isWanted = (value === true) === (operator === 'eq');
    const join = `JOIN (${WAITING_APPS}) waiting ON waiting.id = a.id`;
    if (isWanted) return { join, joined: [now, now, now], where: "a.status <> 'revoked'" };
    return { join: `LEFT ${join}`, joined: [now, now, now], where: "(waiting.id IS NULL OR a.status = 'revoked')" };
  }

  private async ownersOf(apps: readonly AppRecord[]): Promise<ReadonlyMap<number, AppOwner>> {
    const ids = [...new Set(apps.map(({ userId }) => userId))];
    const owners = await userRecord.findAll(this.parts.database, { id: ids });
    return new Map(owners.map((owner) => [owner.id, owner]));
  }
}

function withProduct({ operator, value }: ListFilter): Part {
  const values = Array.isArray(value) ? (value as SqlValue[]) : [value as SqlValue];
  const holds = `a.id IN (${APPS_WITH_PRODUCT} IN (${placeholders(values)}))`;
  if (operator === 'eq' || operator === 'in') return { where: holds, values };
  if (operator === 'ne') return { where: `NOT ${holds}`, values };
  throw refusal('product', ['eq', 'ne', 'in']);
}

function refusal(field: string, operators: readonly string[]): ValidationError {
  return new ValidationError({ filters: [`filters.${field} takes the operators ${operators.join(', ')}.`] });
}
