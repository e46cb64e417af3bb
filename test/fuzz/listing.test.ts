import type { PortalRoute } from '../../src/api/index.js';
import { FILTER_OPERATORS } from '../../src/core/index.js';
import { describeWithMariaDb } from '../support/databases.js';
import { nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

/** What sqlmap and its like begin with: both dialects, every place in a statement, in text and as numbers. */
const INJECTIONS = [
  ...[
    "'",
    '"',
    '`',
    '\\',
    "\\'",
    "''",
    '%27',
    "' OR '1'='1",
    "' OR 1=1 -- ",
    '" OR ""="',
    "') OR ('1'='1",
    "%' OR '%'='",
  ],
  ...[
    '1 OR 1=1',
    '1) OR (1=1',
    "1' AND SLEEP(5) AND '1'='1",
    "1' AND BENCHMARK(5000000,MD5('x'))#",
    '(SELECT SLEEP(5))',
  ],
  ...[
    "' UNION SELECT NULL,NULL,NULL-- -",
    '1 UNION ALL SELECT password_hash FROM portal_users',
    "' UNION SELECT sql FROM sqlite_master--",
  ],
  ...[
    "'; DROP TABLE portal_users; --",
    "1; UPDATE portal_users SET status='inactive'",
    "';ATTACH DATABASE '/tmp/x' AS x--",
  ],
  ...[
    "' AND extractvalue(1,concat(0x7e,version()))--",
    "' AND load_extension('x')--",
    "' AND randomblob(900000000)--",
    "1 LIMIT 1 INTO OUTFILE '/tmp/x'",
  ],
  ...[
    'id',
    'id DESC',
    'id; --',
    'id,password_hash',
    'password_hash',
    'u.password_hash',
    'CASE WHEN 1=1 THEN id ELSE name END',
  ],
  ...[
    '(SELECT 1)',
    'rowid',
    '1',
    '@@version',
    ':id',
    '?',
    '$1',
    '/**/',
    '/*!50000 OR 1=1 */',
    '0x27',
    'char(39)',
    '\u02bc',
    '\uff07',
    '\u0000',
  ],
];

const OTHERS = ['order_by', 'direction', 'with', 'q', 'cursor', 'page', 'per_page', 'filters', 'locale'];

/** Of each test. */
const REQUESTS = 900;

function attacks(on: () => Promise<Surface>): void {
  let surface: Surface;
  beforeAll(async () => {
    surface = await on();
  });
  afterAll(() => surface.stop());

  const lists = () => surface.routes.filter((route): route is ListRoute => route.list !== undefined);

  it('takes a statement in any listing parameter for a text or refuses it', async () => {
    await attackLists(({ list: { sorts } }, injection) => {
      const text = encodeURIComponent(injection);
      const orderBy = `?order_by=${sorts[0] ?? 'id'}&direction=${text}`;
      return [orderBy, ...OTHERS.map((name) => `?${name}=${text}`)];
    });
  });

  it('takes a statement in a filter for a value or refuses it', async () => {
    await attackLists(({ list }, injection, index) => {
      const fields = Object.keys(list.filters);
      const field = fields[index % Math.max(1, fields.length)] ?? 'id';
      const operator = FILTER_OPERATORS[index % FILTER_OPERATORS.length] ?? 'eq';
      const filters = [
        { [field]: injection },
        { [injection]: 'x' },
        { [field]: { [injection]: 'x' } },
        { [field]: { [operator]: injection } },
        { [field]: { in: [injection, injection] } },
        { [`${field}${injection}`]: 1 },
      ];
      return filters.map((filter) => `?filters=${encodeURIComponent(JSON.stringify(filter))}`);
    });
  });

  /** All lists have one engine: together they are asked everything, each its share. */
  async function attackLists(queries: (route: ListRoute, injection: string, index: number) => string[]): Promise<void> {
    const all = lists().flatMap((route) =>
      INJECTIONS.flatMap((injection, index) => queries(route, injection, index).map((query) => ({ route, query }))),
    );
    const kept = (index: number) => Math.floor((index * REQUESTS) / all.length);
    const share = all.filter((_request, index) => all.length <= REQUESTS || kept(index) !== kept(index - 1));
    for (const route of lists()) await surface.attack(route, {});
    const before = await portalSize();
    for (const { route, query } of share) {
      expect([nameOf(route), query, await surface.attack(route, { query })]).toEqual([nameOf(route), query, null]);
    }
    expect(await portalSize()).toEqual(before);
  }

  async function portalSize(): Promise<unknown> {
    return surface.test.portal.database.select(
      "SELECT COUNT(*) AS people, SUM(CASE WHEN status = 'active' THEN 1 ELSE 0 END) AS active FROM portal_users",
    );
  }
}

type ListRoute = PortalRoute & { readonly list: NonNullable<PortalRoute['list']> };

describe('every list on SQLite', () => attacks(() => Surface.start({ dialect: 'sqlite' })));
describeWithMariaDb('every list on MariaDB', () => attacks(() => Surface.start({ dialect: 'mysql' })));
