// The activity log with a million rows (R24): how long its first and its deepest page take, a walk by cursor, its usual
// filters and the statistics, and how much memory the export needs.
//   npm run bench:activities -- [--rows 1000000] [--database sqlite|mysql] [--json]
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPortal } from '../dist-test/src/portal.js';
import { createDatabase } from './support/databases.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';
import { p95Of } from './support/times.mjs';

const BATCH = 500;
const BATCHES_PER_TRANSACTION = 40;
const REQUESTS = 40;
const PASSWORD = 'correct horse battery staple';
const ACTIONS = ['user.login', 'token.refreshed', 'user.updated', 'app.approved', 'admin.request_refused'];
const DEVELOPERS = 5000;
/** Milliseconds at the 95th percentile, and MiB. */
const LIMITS = { first: 200, deepest: 500, cursor: 500, exportMiB: 150 };

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    database: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : table(report));
const isSlow = Object.values(report).some((result) => Object.keys(LIMITS).some((name) => result[name] > LIMITS[name]));
process.exit(isSlow ? 1 : 0);

async function measure(kind) {
  const settings = newSettings();
  const place = await createDatabase(kind);
  let server;
  try {
    note(`${kind}: writing ${rows} activities`);
    const token = await seed(settings, place.url);
    server = await startServer('portal', { settings, databaseUrl: place.url });
    const base = `${settings.prefix}/${settings.adminPrefix}`;
    const ask = (path) => fetch(`${server.url}${base}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return await measureServer(ask, server, kind);
  } finally {
    await server?.stop();
    await place.drop();
  }
}

async function measureServer(ask, server, kind) {
  const timed = (path) => p95(() => ask(path));
  const deepest = Math.min(10_000, Math.floor(rows / 100));
  note(`${kind}: asking`);
  const result = {
    first: await timed('/activities'),
    deepest: await timed(`/activities?per_page=100&page=${deepest}`),
    cursor: await walk(ask, deepest),
    action: await timed(`/activities?filters=${encodeURIComponent('{"action":"app.approved"}')}`),
    actor: await timed(`/activities?filters=${encodeURIComponent('{"actor":"developer:7"}')}`),
    email: await timed(`/activities?filters=${encodeURIComponent('{"actor":"developer7@example.com"}')}`),
    statistics: await p95(() => ask('/dashboard/stats')),
  };
  note(`${kind}: exporting`);
  return { ...result, ...(await exportAll(ask, server)) };
}

/** Milliseconds within which 95 of 100 requests are answered, after one that nobody counts. */
async function p95(send) {
  const times = [];
  for (let count = 0; count <= REQUESTS; count += 1) {
    const began = performance.now();
    const response = await send();
    await response.arrayBuffer();
    assert.equal(response.status, 200);
    if (count > 0) times.push(performance.now() - began);
  }
  return p95Of(times);
}

async function walk(ask, fromPage) {
  let query = `page=${fromPage - 200}`;
  return p95(async () => {
    const response = await ask(`/activities?per_page=100&${query}`);
    query = `cursor=${(await response.clone().json()).meta.pagination.next_cursor}`;
    return response;
  });
}

async function exportAll(ask, server) {
  const before = (await server.sample()).rssMiB;
  let peak = before;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, (await server.sample()).rssMiB);
      await sleep(200);
    }
  })();
  const began = performance.now();
  const response = await ask('/activities/export');
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines += 1;
  const seconds = (performance.now() - began) / 1000;
  isDone = true;
  await watching;
  assert.ok(lines > rows, `the export has ${lines} lines`);
  return { exportSeconds: Math.round(seconds), exportMiB: Math.round(peak - before) };
}

async function seed(settings, databaseUrl) {
  const portal = createPortal({ config: portalConfig(settings, databaseUrl) });
  const { services, database, migrator } = portal;
  try {
    await migrator.up();
    await services.rbac.seed();
    const input = { name: 'Grace Hopper', email: 'grace@example.com', password: PASSWORD, roles: ['admin'] };
    const admin = await services.administration.admins.create(input, 'operator');
    await fill(database);
    const request = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };
    const outcome = await services.auth.flow.attemptLogin({ email: admin.email, password: PASSWORD }, 'admin', request);
    return outcome.tokens.accessToken;
  } finally {
    await portal.close();
  }
}

/** Past the chain, which is not what is measured here: one row of it after the other would take an hour. */
async function fill(database) {
  const [{ last: first }] = await database.select('SELECT last_id AS last FROM portal_activity_chain');
  const activity =
    'id, action, actor_type, actor_id, subject_type, subject_id, owner_id, request_id, created_at, previous_hash, hash';
  const person = 'activity_id, actor_name, actor_email, ip, user_agent';
  const perTransaction = BATCH * BATCHES_PER_TRANSACTION;
  for (let start = 1; start <= rows; start += perTransaction) {
    await database.transaction(async (transaction) => {
      for (let next = start; next < Math.min(rows + 1, start + perTransaction); next += BATCH) {
        const numbers = Array.from({ length: Math.min(BATCH, rows - next + 1) }, (_, index) => first + next + index);
        await insert(database, 'portal_activities', activity, numbers.map(activityRow), transaction);
        await insert(database, 'portal_activity_people', person, numbers.map(personRow), transaction);
      }
    });
  }
  await database.execute('UPDATE portal_activity_chain SET last_id = ?', [first + rows]);
  if (database.dialect === 'mysql') await database.select('ANALYZE TABLE portal_activities, portal_activity_people');
}

async function insert(database, name, columns, tuples, transaction) {
  const tuple = `(${tuples[0].map(() => '?').join(', ')})`;
  const sql = `INSERT INTO ${name} (${columns}) VALUES ${tuples.map(() => tuple).join(', ')}`;
  await database.execute(sql, tuples.flat(), { transaction });
}

function activityRow(number) {
  const developer = 1 + (number % DEVELOPERS);
  const hash = number.toString(16).padStart(64, '0');
  // Two a minute, up to now.
  const createdAt = new Date(Date.now() - (rows - number) * 30_000);
  const action = ACTIONS[number % ACTIONS.length];
  return [number, action, 'developer', developer, 'user', String(developer), developer, hash, createdAt, hash, hash];
}

function personRow(number) {
  const developer = 1 + (number % DEVELOPERS);
  return [number, `Developer ${developer}`, `developer${developer}@example.com`, '203.0.113.7', 'Mozilla/5.0 (bench)'];
}

function table(results) {
  const kinds = Object.keys(results);
  const names = Object.keys(results[kinds[0]]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['p95 in ms', ...kinds, 'limit']),
    line(['---', ...kinds.map(() => '---:'), '---:']),
    ...names.map((name) => line([name, ...kinds.map((kind) => results[kind][name]), LIMITS[name] ?? ''])),
  ].join('\n');
}

function note(text) {
  process.stderr.write(`${text}\n`);
}
