import { defineList, placeholders, type ListScope, type SqlValue } from '../../../database/index.js';
import {
  ValidationError,
  type ListFilter,
  type ListOptions,
  type ListPage,
  type ListQuery,
} from '../../../core/index.js';
import { userRecord } from '../../accounts/index.js';
import type { AppOwner } from '../app/app-directory.js';
import { appRecord, type AppRecord } from '../app/app.js';
import type { AppParts } from '../app-parts.js';
import { APPS_OF_USER, KEYS_APPROVED_FOR } from '../app-queries.js';
import {
  credentialList,
  credentialRecord,
  credentialStatus,
  type CredentialRecord,
  type CredentialStatus,
} from './credential.js';
import { grantAt, type GrantRecord } from './grant.js';

/** The list of an app's keys plus admin-only filters. */
const directoryList = defineList<CredentialRecord>({
  ...credentialList.definition,
  name: 'credentials.all',
  filters: {
    ...credentialList.definition.filters,
    ending: { column: `${credentialRecord.alias}.key_ending`, type: 'string' },
  },
  relations: ['products'],
});

/** Answered by conditions of this list alone. */
const OWN_FILTERS = {
  status: 'string',
  user: 'integer',
  product: 'integer',
  replaced: 'boolean',
  outdated_plan: 'string',
} as const;

/** What admins may query on the list of all keys. */
export const credentialDirectoryOptions: ListOptions = {
  ...directoryList.options,
  filters: { ...directoryList.options.filters, ...OWN_FILTERS },
};

/** A key with its app and developer. */
export interface OwnedCredentialView extends Omit<CredentialRecord, 'gatewayKeyRef' | 'status'> {
  readonly status: CredentialStatus;
  readonly app: AppRecord;
  readonly owner: AppOwner;
  /** null unless the list was asked to include them. */
  readonly products: readonly GrantRecord[] | null;
}

/** The keys of all developers, for admins. */
export class CredentialDirectory {
  constructor(private readonly parts: AppParts) {}

  /** @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<OwnedCredentialView>> {
    const { database, lists, clock, reader } = this.parts;
    const now = clock.now();
    const filters = query.filters.filter(({ field }) => !Object.hasOwn(OWN_FILTERS, field));
    const page = await lists.run(directoryList, { ...query, filters }, { scope: scopeOf(query.filters, now) });
    const apps = await appRecord.findAll(database, { id: [...new Set(page.items.map(({ appId }) => appId))] });
    const owners = await userRecord.findAll(database, { id: [...new Set(apps.map(({ userId }) => userId))] });
    const isWanted = query.with.includes('products');
    const grants = isWanted ? await reader.grantsOf(page.items.map(({ id }) => id)) : [];
    const shownGrants = grants.map((grant) => grantAt(grant, now));
    const items = page.items.flatMap((credential): OwnedCredentialView[] => {
      const { gatewayKeyRef: _, ...shown } = credential;
      const app = apps.find(({ id }) => id === credential.appId);
      const owner = owners.find(({ id }) => id === app?.userId);
      // Deleted since the page was read.
      if (!app || !owner) return [];
      const products = isWanted ? shownGrants.filter(({ credentialId }) => credentialId === credential.id) : null;
      return [{ ...shown, status: credentialStatus(credential, now), app, owner, products }];
    });
    return { ...page, items };
  }
}

/** Keys that work, with an older version of a plan, by a condition on its slug. Takes the current time. */
const ON_OLDER_VERSION = `c.status <> 'revoked' AND (c.expires_at IS NULL OR c.expires_at > ?) AND c.id IN (
  SELECT g.credential_id FROM portal_credential_products g
  JOIN portal_plan_versions pv ON pv.id = g.plan_version_id AND pv.status = 'superseded'
  JOIN portal_plans pl ON pl.id = pv.plan_id WHERE g.status <> 'revoked' AND pl.slug IN`;

function scopeOf(filters: readonly ListFilter[], now: Date): ListScope {
  // Nearly all rows match: written so that the planner uses the index of the sort order, not one on `sync_state`.
  const where = ["(c.sync_state = 'creating') = 0"];
  const values: SqlValue[] = [];
  for (const { field, operator, value } of filters) {
    if (!Object.hasOwn(OWN_FILTERS, field)) continue;
    if (!['eq', 'in', 'ne'].includes(operator)) {
      throw new ValidationError({ filters: [`filters.${field} takes the operators eq, ne, in.`] });
    }
    const wanted = Array.isArray(value) ? (value as readonly SqlValue[]) : [value as SqlValue];
    const not = operator === 'ne' ? 'NOT ' : '';
    if (field === 'user') {
      where.push(`${not}c.app_id IN (${APPS_OF_USER} IN (${placeholders(wanted)}))`);
      values.push(...wanted);
    } else if (field === 'product') {
      where.push(`${not}c.id IN (${KEYS_APPROVED_FOR} (${placeholders(wanted)}))`);
      values.push(...wanted);
    } else if (field === 'outdated_plan') {
      where.push(`${not}(${ON_OLDER_VERSION} (${placeholders(wanted)})))`);
      values.push(now, ...wanted);
    } else if (field === 'replaced') {
      const conditions = wanted.map((is) => `c.replaced_by IS ${is ? 'NOT ' : ''}NULL`);
      where.push(`${not}(${conditions.join(' OR ')})`);
    } else {
      const conditions = wanted.map((status) => statusCondition(String(status), now));
      where.push(`${not}(${conditions.map(({ sql }) => sql).join(' OR ')})`);
      values.push(...conditions.flatMap((condition) => condition.values));
    }
  }
  return { where: where.join(' AND '), values };
}

/** The state that is shown, in SQL: see `credentialStatus`. */
function statusCondition(status: string, now: Date): { readonly sql: string; readonly values: readonly SqlValue[] } {
  if (status === 'revoked') return { sql: "c.status = 'revoked'", values: [] };
  if (status === 'expired')
    return { sql: "(c.status <> 'revoked' AND c.expires_at IS NOT NULL AND c.expires_at <= ?)", values: [now] };
  return { sql: '(c.status = ? AND (c.expires_at IS NULL OR c.expires_at > ?))', values: [status, now] };
}
