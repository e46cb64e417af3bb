import type { PortalRoute } from '../../src/api/index.js';
import type { Database, SqlValue } from '../../src/database/index.js';
import { analyzeTables } from '../support/databases.js';
import { nameOf, Surface, type Caller } from '../support/surface.js';

// Thousands of rows and two plans for every order of every list.

/** Enough that a database prefers an index to reading and sorting everything. */
const MANY = 900;
const OF_ONE_OWNER = 60;
/** As long as a guide is. */
const TEXT = 'Call it, and read what it says. '.repeat(100);
/** Asked of the gateway and sorted here; and a union, of whose parts no more is sorted than the page may need. */
const ELSEWHERE = ['listGatewayProducts', 'listWaiting'];

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

let surface: Surface;
let database: Database;
const callers = new Map<PortalRoute, Caller>();
let seen: Statement[] = [];
beforeAll(async () => {
  surface = await Surface.start();
  ({ database } = surface.test.portal);
  for (const route of listRoutes()) callers.set(route, await surface.caller(route));
  await fill();
  const select = database.select.bind(database);
  Object.assign(database, {
    select: (sql: string, values: readonly SqlValue[] = [], options = {}) => {
      seen.push({ sql, values });
      return select(sql, values, options);
    },
  });
});
afterAll(() => surface.stop());

const listRoutes = () =>
  surface.routes.filter(({ list, document, operation }) => list && !document && !ELSEWHERE.includes(operation));

async function insert(table: string, rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const one = `(${columns.map(() => '?').join(', ')})`;
  for (let at = 0; at < rows.length; at += 50) {
    const some = rows.slice(at, at + 50);
    await database.execute(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${some.map(() => one).join(', ')}`,
      some.flatMap((row) => columns.map((column) => row[column] ?? null)),
    );
  }
}

const ids = async (table: string, where = '1 = 1'): Promise<number[]> =>
  (await database.select<{ id: number }>(`SELECT id FROM ${table} WHERE ${where}`)).map(({ id }) => id);

async function fill(): Promise<void> {
  const start = surface.test.clock.now().getTime();
  const times = (index: number) => ({
    created_at: new Date(start - index * 977),
    updated_at: new Date(start - (index % 300) * 1_301),
  });
  const many = (row: (index: number) => Record<string, SqlValue>) =>
    Array.from({ length: MANY }, (_, index) => ({ ...row(index), ...times(index) }));
  const word = (index: number) => `n${((index * 7919) % 100_003).toString(36)}x${index}`;
  // Teams, whose apps are their account's, and people by themselves.
  const owners = await ids('portal_users', "kind = 'team' OR id NOT IN (SELECT user_id FROM portal_team_members)");
  const apps = await ids('portal_apps');
  await insert(
    'portal_users',
    many((index) => ({
      ...{ email: `${word(index)}@example.net`, first_name: word(index), last_name: word(index + 3) },
      ...{ password_hash: 'x', status: index % 5 === 0 ? 'pending' : 'active', custom_attributes: '{}' },
    })),
  );
  await insert(
    'portal_admins',
    many((index) => ({
      ...{ name: word(index), email: `${word(index)}@example.org`, password_hash: 'x' },
      ...{ status: index % 9 === 0 ? 'inactive' : 'active' },
      last_login_at: index % 4 === 0 ? null : new Date(start - index * 31),
    })),
  );
  for (const table of ['portal_roles', 'portal_permissions'])
    await insert(
      table,
      many((index) => ({
        name: `made.${word(index)}`,
        [table === 'portal_roles' ? 'label' : 'description']: word(index),
      })),
    );
  await insert(
    'portal_products',
    many((index) => ({
      ...{ slug: word(index), name: word(index + 5), description: '', gateway_product_id: word(index) },
      ...{ visibility: ['public', 'private', 'draft'][index % 3] ?? '', approval: index % 2 === 0 ? 'auto' : 'manual' },
      custom_attributes: '{}',
    })),
  );
  await insert(
    'portal_categories',
    many((index) => ({ slug: word(index), name: word(index + 5), description: '' })),
  );
  await insert(
    'portal_audiences',
    many((index) => ({ name: word(index) })),
  );
  await insert(
    'portal_menus',
    many((index) => ({ slug: word(index), name: word(index + 5) })),
  );
  await insert(
    'portal_settings',
    many((index) => ({
      ...{ setting_key: word(index), type: index % 2 === 0 ? 'string' : 'integer', label: word(index + 9) },
      setting_group: `group ${index % 7}`,
    })),
  );
  const each = (of: readonly number[], row: (id: number, index: number) => Record<string, SqlValue>) =>
    of.flatMap((id) =>
      Array.from({ length: OF_ONE_OWNER }, (_, index) => ({ ...row(id, index), ...times(index + id) })),
    );
  await insert(
    'portal_apps',
    each(owners, (id, index) => ({
      ...{ user_id: id, name: word(index), name_key: word(index), display_name: word(index + 11), description: '' },
      ...{ status: index % 3 === 0 ? 'pending' : 'approved', sync_state: 'synced' },
    })),
  );
  const developers = await ids('portal_users', "email LIKE 'n%'");
  const [busy = 0] = developers;
  // Most developers have few apps: otherwise SQLite takes developers one by one for orders of all apps.
  await insert(
    'portal_apps',
    developers.map((id, index) => ({
      ...{ user_id: id, name: `own-${index}`, name_key: `own-${index}`, display_name: word(index + 17) },
      ...{ description: '', status: index % 3 === 0 ? 'pending' : 'approved', sync_state: 'synced', ...times(index) },
    })),
  );
  await insert(
    'portal_apps',
    Array.from({ length: 4 * MANY }, (_, index) => ({
      ...{ user_id: busy, name: word(index), name_key: word(index), display_name: word(index + 13), description: '' },
      ...{ status: index % 3 === 0 ? 'pending' : 'approved', sync_state: 'synced', ...times(index) },
    })),
  );
  await insert(
    'portal_credentials',
    each(apps, (id, index) => ({
      ...{ app_id: id, key_hint: 'abcd1234', status: 'approved', sync_state: 'synced' },
      issued_at: new Date(start - index * 17),
      expires_at: index % 4 === 0 ? null : new Date(start + index * 100_000),
    })),
  );
  const [busyApp = 0] = await ids('portal_apps', `user_id = ${busy}`);
  await insert(
    'portal_credentials',
    Array.from({ length: 4 * MANY }, (_, index) => ({
      ...{ app_id: busyApp, key_hint: 'abcd1234', status: 'approved', sync_state: 'synced', ...times(index) },
      issued_at: new Date(start - index * 17),
      expires_at: index % 4 === 0 ? null : new Date(start + index * 100_000),
    })),
  );
  const activities = each(owners, (id, index) => ({
    ...{ action: 'user.updated', actor_type: 'developer', actor_id: id, owner_id: id },
    ...{ previous_hash: '0'.repeat(64), hash: word(index + id * 1_000).padEnd(64, '0') },
  }));
  await insert(
    'portal_activities',
    activities.map(({ updated_at: _, ...row }) => row),
  );
  await insert(
    'portal_guides',
    many((index) => ({
      ...{ kind: 'guide', slug: word(index), address: `guide-${index}`, name: word(index + 5), description: TEXT },
      ...{ position: index % 40, visibility: index % 9 === 0 ? 'draft' : 'public' },
      published_at: new Date(start - index * 733),
    })),
  );
  await insert(
    'portal_mails',
    many((index) => ({
      ...{ uuid: `mail-${index}`, template: 'app-approved', payload: '', recipient: `${word(index)}@example.net` },
      ...{ state: ['sent', 'failed', 'queued'][index % 3] ?? '', tries: 1, due_at: new Date(start - index * 991) },
    })),
  );
  await insert(
    'portal_webhook_messages',
    many((index) => ({ webhook_id: `msg_${index}`, type: 'app.approved', body: '{}' })).map(
      ({ updated_at: _, ...row }) => row,
    ),
  );
  const messages = await ids('portal_webhook_messages', 'LENGTH(webhook_id) < 10');
  for (const endpoint of await ids('portal_webhook_endpoints'))
    await insert(
      'portal_webhook_deliveries',
      messages.map((message, index) => ({
        ...{ message_id: message, endpoint_id: endpoint, webhook_id: `msg_${index}`, type: 'app.approved' },
        ...{ state: index % 3 === 0 ? 'failed' : 'sent', tries: 1, due_at: new Date(start), ...times(index) },
      })),
    );
  const filled =
    'users admins roles permissions products categories audiences menus settings apps credentials activities guides mails webhook_deliveries';
  await analyzeTables(database, filled.split(' '));
}

/** The part of a list's statement that chooses the rows of the page, and puts them in order. */
function choosing({ sql, values }: Statement): Statement | null {
  const inner = /FROM \((SELECT .*? LIMIT \? OFFSET \?)\) page/s.exec(sql)?.[1];
  return inner === undefined ? null : { sql: inner, values };
}

/** What the database says of a sort that no index gives; null when one does. */
async function sorting({ sql, values }: Statement): Promise<string | null> {
  const isSqlite = database.dialect === 'sqlite';
  const plan = await database.select<{ detail?: string; Extra?: string }>(
    `${isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`,
    values,
  );
  const steps = plan.map(({ detail, Extra }) => String(isSqlite ? detail : Extra));
  return steps.some((step) => /filesort|TEMP B-TREE|Using temporary/.test(step)) ? JSON.stringify(plan) : null;
}

describe('every list', () => {
  it('gives every order that it offers along an index, on the first page and on those that follow', async () => {
    const sorted: string[] = [];
    let asked = 0;
    for (const [route, caller] of callers) {
      for (const sort of [undefined, ...(route.list?.sorts ?? [])]) {
        for (const direction of ['ASC', 'DESC']) {
          const order = new URLSearchParams({ direction, per_page: '10', ...(sort && { order_by: sort }) });
          seen = [];
          const path = surface.path(route, caller);
          const first = await surface.send(route, caller, { path: `${path}?${order}` });
          expect([nameOf(route), sort, first.status]).toEqual([nameOf(route), sort, 200]);
          const cursor = first.json.meta.pagination.next_cursor as string | null;
          if (cursor !== null) await surface.send(route, caller, { path: `${path}?${order}&cursor=${cursor}` });
          const statements = seen.map(choosing).filter((statement) => statement !== null);
          expect([nameOf(route), sort, statements.length]).toEqual([nameOf(route), sort, cursor === null ? 1 : 2]);
          for (const statement of statements) {
            asked += 1;
            const plan = await sorting(statement);
            if (plan !== null) sorted.push(`${nameOf(route)} by ${sort} ${direction}: ${statement.sql} → ${plan}`);
          }
        }
      }
    }
    expect(sorted).toEqual([]);
    expect(asked).toBeGreaterThan(200);
  });

  it('goes through all rows once, also where an order needs no id behind it', async () => {
    const route = [...callers.keys()].find(({ operation }) => operation === 'listUsers');
    const caller = route && callers.get(route);
    if (!route || !caller) throw new Error('no list of users');
    const path = surface.path(route, caller);
    for (const direction of ['ASC', 'DESC']) {
      const emails: string[] = [];
      let cursor = '';
      do {
        const query = `order_by=email&direction=${direction}&per_page=100${cursor && `&cursor=${cursor}`}`;
        const { json } = await surface.send(route, caller, { path: `${path}?${query}` });
        emails.push(...json.data.map(({ email }: { email: string }) => email));
        cursor = json.meta.pagination.next_cursor ?? '';
      } while (cursor !== '');
      const [{ total } = { total: 0 }] = await database.select<{ total: number }>(
        "SELECT COUNT(*) AS total FROM portal_users WHERE kind = 'person'",
      );
      expect([emails.length, new Set(emails).size]).toEqual([Number(total), Number(total)]);
    }
  });
});
