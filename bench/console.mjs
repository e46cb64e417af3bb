// Pages of the admin console over a million developers and a million keys: p95 of whole pages, markup and all.
//   npm run bench:console -- [--rows 1000000] [--database sqlite|mysql] [--json]
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPortal } from '../dist-test/src/portal.js';
import { insertRows, moment, PASSWORD, userRow } from './seed.mjs';
import { createDatabase } from './support/databases.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';
import { p95Of } from './support/times.mjs';

const REQUESTS = 40;
/** Of a page that reads every row. */
const FEW = 3;
/** Milliseconds at the 95th percentile. */
const LIMIT = 200;
const ADMIN = { name: 'Grace Hopper', email: 'grace@example.com', password: PASSWORD, roles: ['super_admin'] };
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    database: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
/** Parts of a text have no index: these read every row, and have no aim. */
const SEARCHES = {
  'e-mail contains': `/users?email=developer${rows - 1}`,
  'search a name': `/users?q=Lovelace+${rows - 7}`,
  'search an e-mail address': `/users?q=developer${rows - 9}%40example.com`,
};
/** Lists of the admin API. */
const ENDING = encodeURIComponent('{"ending":"AAb7"}');
const LISTS = {
  'keys, first page': '/credentials',
  'keys by their ending': `/credentials?filters=${ENDING}`,
  'keys by their ending, oldest first': `/credentials?filters=${ENDING}&order_by=created_at&direction=asc`,
};
const PAGES = {
  'first page': '/users',
  'sorted by e-mail': '/users?sort=email',
  'sorted by first name, backwards': '/users?sort=-first_name',
  'sorted by time of change': '/users?sort=updated_at',
  'one in ten: status': '/users?status=pending',
  'status, sorted by e-mail': '/users?status=pending&sort=email',
  'status, sorted by last name': '/users?status=active&sort=-last_name',
  'time of creation': '/users?created_at.from=2020-01-02&created_at.to=2020-01-03',
};
const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : table(report));
const limited = Object.keys({ ...PAGES, ...LISTS });
const isSlow = Object.values(report).some((result) => limited.some((name) => !(result[name] <= LIMIT)));
process.exit(isSlow ? 1 : 0);

async function measure(kind) {
  const settings = newSettings();
  const place = await createDatabase(kind);
  let server;
  try {
    note(`${kind}: writing ${rows} developers and keys`);
    const token = await seed(settings, place.url);
    server = await startServer('portal', { settings, databaseUrl: place.url });
    const cookie = await signIn(`${server.url}/admin`);
    note(`${kind}: asking; load ${loadavg()[0].toFixed(1)}`);
    const api = `${server.url}${settings.prefix}/${settings.adminPrefix}`;
    const result = {};
    const time = async (name, address, headers, requests = REQUESTS) => {
      result[name] = await p95(() => fetch(address, { headers }), requests);
      note(`  ${name}: ${result[name]} ms`);
    };
    const html = { accept: 'text/html', cookie };
    for (const [name, path] of Object.entries(PAGES)) await time(name, `${server.url}/admin${path}`, html);
    for (const [name, path] of Object.entries(LISTS))
      await time(name, api + path, { authorization: `Bearer ${token}` });
    for (const [name, path] of Object.entries(SEARCHES)) await time(name, `${server.url}/admin${path}`, html, FEW);
    note(`${kind}: load ${loadavg()[0].toFixed(1)}`);
    return result;
  } finally {
    await server?.stop();
    await place.drop();
  }
}

async function seed(settings, databaseUrl) {
  const portal = createPortal({ config: portalConfig(settings, databaseUrl) });
  const { services, database, migrator } = portal;
  try {
    await migrator.up();
    await services.rbac.seed();
    await services.administration.admins.create(ADMIN, 'operator');
    await fill(database);
    const request = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };
    const outcome = await services.auth.flow.attemptLogin(ADMIN, 'admin', request);
    return outcome.tokens.accessToken;
  } finally {
    await portal.close();
  }
}

async function fill(database) {
  const stamps = ['created_at', 'updated_at'];
  const user = ['id', 'email', 'first_name', 'last_name', 'password_hash', 'status', 'custom_attributes', ...stamps];
  await insertRows(database, 'portal_users', user, rows, userRow);
  const app = ['id', 'user_id', 'name', 'name_key', 'display_name', 'description', 'status', 'sync_state', ...stamps];
  await insertRows(database, 'portal_apps', app, rows, appRow);
  const key = ['id', 'app_id', 'key_hint', 'status', 'issued_at', 'sync_state', ...stamps];
  await insertRows(database, 'portal_credentials', key, rows, keyRow);
  // InnoDB does this by itself, but some seconds later.
  if (database.dialect === 'mysql')
    await database.select('ANALYZE TABLE portal_users, portal_apps, portal_credentials');
}

function appRow(number) {
  return [number, number, 'checkout', 'checkout', 'Checkout', '', 'approved', 'synced', moment(number), moment(number)];
}

// A quarter of a million endings: four keys each.
function keyRow(number) {
  const letter = (place) => LETTERS[Math.floor(number / LETTERS.length ** place) % LETTERS.length];
  const hint = `port${letter(3)}${letter(2)}${letter(1)}${letter(0)}`;
  return [number, number, hint, 'approved', moment(number), 'synced', moment(number), moment(number)];
}

/** @returns the session's cookie */
async function signIn(base) {
  const form = await fetch(`${base}/login`);
  const given = cookiesOf(form);
  const [, token] = /name="_csrf" value="([^"]*)"/.exec(await form.text());
  const body = new URLSearchParams({ _csrf: token, email: ADMIN.email, password: PASSWORD });
  const answer = await fetch(`${base}/login`, { method: 'POST', redirect: 'manual', headers: { cookie: given }, body });
  assert.equal(answer.status, 303);
  return cookiesOf(answer);
}

function cookiesOf(response) {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** Milliseconds within which 95 of 100 pages are there, the first among them; the status when there is none. */
async function p95(open, requests) {
  const times = [];
  for (let count = 0; count < requests; count += 1) {
    const began = performance.now();
    const response = await open();
    await response.arrayBuffer();
    if (response.status !== 200) return `status ${response.status}`;
    times.push(performance.now() - began);
  }
  return p95Of(times);
}

function table(results) {
  const kinds = Object.keys(results);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['p95 in ms', ...kinds]),
    line(['---', ...kinds.map(() => '---:')]),
    ...Object.keys(results[kinds[0]]).map((name) => line([name, ...kinds.map((kind) => results[kind][name])])),
  ].join('\n');
}

function note(text) {
  process.stderr.write(`${text}\n`);
}
