// What counting calls costs, the portal beside itself with `usage.enabled` off; what the limits of a plan cost, beside keys without
// any; what it costs that a product ends; and how long reading what was counted takes:
//   npm run bench:usage [-- --database sqlite|mysql --parts counting,limits,ending,reading --seconds 2 --rounds 7]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedis } from '../dist-test/test/support/services.js';
import { createPortal } from '../dist-test/src/portal.js';
import { median } from './support/load.mjs';
import { createBenchDatabase } from './support/mariadb.mjs';
import { measurePair } from './support/measure-pair.mjs';
import { countingTable, endingTable, limitsTable, readingTable } from './support/report.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';
import { seed } from './seed.mjs';

const ROWS = 1_000;
const APPS = 200;
/** Of a product, which end. */
const OPERATIONS = 20;
/** Apps, keys and products of the calls that are read, and for how many days. */
const READ = { apps: 200, keys: 2, products: 2, days: 400, hours: 35 * 24 };
const DAY_MS = 86_400_000;
const READ_TIMES = 15;

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,mysql' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '7' },
    parts: { type: 'string', default: 'counting,limits,ending,reading' },
  },
});

for (const kind of values.database.split(',')) {
  const place = kind === 'mysql' ? await createBenchDatabase() : createFile();
  const settings = newSettings();
  try {
    const client = await seed({ databaseUrl: place.url, settings, rows: ROWS });
    const portal = createPortal({ config: portalConfig(settings, place.url) });
    const keys = await makeKeys(portal, client.user.id, 'counted');
    const plain = { ...client, keys };
    const parts = {
      counting: async () => countingTable(kind, await measureCounting(place.url, settings, plain)),
      limits: async () => limitsTable(kind, await measureLimits(portal, place.url, settings, plain)),
      ending: async () => endingTable(kind, await measureEnding(portal, place.url, settings, plain)),
      reading: async () => readingTable(kind, await measureReading(portal)),
    };
    for (const part of values.parts.split(',')) console.log(await parts[part]());
    await portal.close();
  } finally {
    await place.drop();
  }
}
process.exit(0);

function createFile() {
  const folder = mkdtempSync(join(tmpdir(), 'portalkit-bench-'));
  const drop = async () => rmSync(folder, { recursive: true, force: true });
  return { url: `sqlite:${join(folder, 'portal.sqlite')}`, drop };
}

async function makeKeys({ services }, userId, name, product = 'product-1') {
  const owner = await services.accounts.users.find(userId);
  const keys = [];
  for (let app = 0; app < APPS; app += 1) {
    const input = { name: `${name}-${app}`, displayName: `App ${app}`, products: [product] };
    const { credentials } = await services.apps.apps.create(owner, input, { type: 'developer', id: owner.id });
    keys.push(credentials[0].key.consumerKey);
  }
  return keys;
}

async function measureCounting(databaseUrl, settings, client) {
  const sides = [true, false].map((enabled) => ({ client, more: { usage: { enabled } } }));
  return measureSides(databaseUrl, settings, sides);
}

/** Keys with a plan of a rate and two quotas that let everything pass, beside keys without. */
async function measureLimits(portal, databaseUrl, settings, plain) {
  const keys = await makeLimitedKeys(portal, plain.user.id);
  const limited = { ...plain, keys, key: keys[0] };
  // It ends with this process.
  const redis = await startRedis();
  const places = { 'on Redis': { redis: { url: `redis://127.0.0.1:${redis.port}` } }, 'on SQL': {} };
  const results = {};
  for (const [place, more] of Object.entries(places)) {
    const sides = [limited, plain].map((client) => ({ client, more }));
    for (const [name, result] of Object.entries(await measureSides(databaseUrl, settings, sides))) {
      results[`${name} ${place}`] = { name, place, ...result };
    }
  }
  return results;
}

/** Keys of a product that ends, and so do twenty of its operations, beside keys of one that stays. */
async function measureEnding(portal, databaseUrl, settings, plain) {
  const { products, deprecations } = portal.services.catalog;
  const product = await products.findForAdmin('product-1');
  const end = async (part) => {
    const sunsetAt = new Date(Date.now() + 400 * DAY_MS);
    await deprecations.announce(await deprecations.create(product, { ...part, sunsetAt }), false);
  };
  await end({});
  for (let number = 1; number <= OPERATIONS; number += 1) await end({ method: 'GET', path: `/things-${number}/{id}` });
  const sides = [];
  for (const [name, slug] of [
    ['ending', 'product-1'],
    ['staying', 'product-2'],
  ]) {
    const keys = await makeKeys(portal, plain.user.id, name, slug);
    sides.push({ client: { ...plain, keys, key: keys[0] }, more: {} });
  }
  return measureSides(databaseUrl, settings, sides);
}

async function makeLimitedKeys(portal, userId) {
  const { plans, planVersions, products } = portal.services.catalog;
  const plan = await plans.create({ slug: 'bench', name: 'Bench', approval: 'auto' });
  const limits = { ratePerSecond: 1_000_000_000, quotaPerDay: 1_000_000_000, quotaPerMonth: 1_000_000_000 };
  await planVersions.activate(await planVersions.create(plan, limits));
  const [{ id }] = await portal.database.select("SELECT id FROM portal_products WHERE slug = 'product-1'");
  await products.update(id, { plans: ['bench'] });
  return makeKeys(portal, userId, 'limited');
}

/** The first of two servers beside the second. */
async function measureSides(databaseUrl, settings, sides) {
  const servers = [];
  try {
    for (const { client, more } of sides) {
      const server = await startServer('portal', { settings, databaseUrl, more });
      servers.push({ ...server, settings, client });
    }
    const options = { seconds: Number(values.seconds), rounds: Number(values.rounds), compares: false };
    const results = {};
    for (const name of ['verify', 'verify-keys']) results[name] = await measurePair(name, servers, options);
    return results;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Milliseconds of each report, its names included. */
async function measureReading({ database, services }) {
  await fill(database);
  const { reader, refusals, quotas, movers } = services.usage;
  const now = services.clock.now();
  const back = (days) => new Date(now.getTime() - (days - 1) * DAY_MS);
  const reports = {
    'app, 400 days': { appId: 1, from: back(400) },
    'app, 400 days by product': { appId: 1, from: back(400), groupBy: 'product' },
    'key, 30 days': { appId: 1, credentialId: 1, from: back(30) },
    'key, 7 days by the hour': { appId: 1, credentialId: 1, interval: 'hour', from: back(7) },
    'product, 30 days': { productId: 1, from: back(30) },
    'portal, 30 days': { from: back(30) },
    'portal, 30 days by app': { from: back(30), groupBy: 'app' },
    'portal, 400 days': { from: back(400) },
  };
  const times = {};
  for (const [name, asked] of Object.entries(reports)) {
    times[name] = await timed(() => reader.report({ ...asked, viewerId: null }));
  }
  const page = { appId: 1, from: back(400), viewerId: 1 };
  times['page of an app, 400 days'] = await timed(() =>
    Promise.all([
      reader.overview(page, ['product', 'outcome', 'credential']),
      refusals.reasons(page),
      quotas.ofApp(page.appId),
    ]),
  );
  times['movers of 7 days, apps'] = await timed(() => movers.read('app', 7));
  times['last refusals of an app'] = await timed(() => refusals.ofApp(1, null));
  return times;
}

async function timed(run) {
  const times = [];
  for (let round = 0; round < READ_TIMES; round += 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function fill(database) {
  const hour = Math.floor(Date.now() / 3_600_000);
  const day = Math.floor(hour / 24);
  for (const table of ['hours', 'days']) await database.execute(`DELETE FROM portal_usage_${table}`);
  const per = READ.keys * READ.products * 2;
  for (let app = 1; app <= READ.apps; app += 1) {
    const rows = (count, first, more) =>
      Array.from({ length: count * per }, (_, index) => {
        const [at, key] = [first - Math.floor(index / per), Math.floor(index / 4) % READ.keys];
        const outcome = index % 2 ? 'expired_key' : 'allowed';
        const product = 1 + (Math.floor(index / 2) % READ.products);
        return `(${app}, ${at}, ${(app - 1) * READ.keys + key + 1}, ${product}, 0, '${outcome}', 7${more})`;
      });
    await insert(database, 'hours', rows(READ.hours, hour, ', 1'));
    await insert(database, 'days', rows(READ.days, day, ''));
  }
  if (database.dialect === 'mysql') await database.execute('ANALYZE TABLE portal_usage_hours, portal_usage_days');
}

async function insert(database, table, rows) {
  await database.transaction(async (transaction) => {
    for (let start = 0; start < rows.length; start += 2_000) {
      const part = rows.slice(start, start + 2_000).join(', ');
      await database.execute(`INSERT INTO portal_usage_${table} VALUES ${part}`, [], { transaction });
    }
  });
}
