// Lists of teams over ten thousand teams with a hundred thousand members: p95 of whole answers, by REST and on pages.
//   npm run bench:teams -- [--teams 10000] [--database sqlite|mysql] [--json]
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createPortal } from '../dist-test/src/portal.js';
import { insertRows, moment, PASSWORD, userRow } from './seed.mjs';
import { createDatabase } from './support/databases.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';
import { p95Of } from './support/times.mjs';

const REQUESTS = 40;
/** Milliseconds at the 95th percentile. */
const LIMIT = 200;
const ADMIN = { name: 'Grace Hopper', email: 'grace@example.com', password: PASSWORD, roles: ['super_admin'] };
const ROLES = ['owner', 'manager', 'developer', 'developer', 'viewer'];
/** Members of the first team; the others share what is left. */
const LARGE = 2_000;
/** The first developer is in so many teams. */
const OWN = 50;

const { values } = parseArgs({
  options: {
    teams: { type: 'string', default: '10000' },
    database: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const teams = Number(values.teams);
const members = teams * 10;
const developers = teams * 2;

const OF_ADMIN = {
  'all teams, newest first': '/teams',
  'all teams, by name': '/teams?order_by=name&direction=asc',
  'all teams, by name, page 50': '/teams?order_by=name&direction=asc&page=50',
  'search a name': `/teams?q=Team+${teams - 7}`,
  'members of a large team': '/teams/1/members',
  'members of a large team, by role': '/teams/1/members?order_by=role&direction=asc',
};
const OF_DEVELOPER = {
  'own teams': '/me/teams',
  'own teams, next page': '/me/teams?page=2',
  'members of own large team': '/me/teams/1/members?per_page=100',
  'requests to own large team': '/me/teams/1/requests',
  'teams to ask or join': '/me/team-offers',
};
const PAGES = { 'page of own teams': '/teams', 'page of a large team': '/teams/1' };

const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : table(report));
process.exit(Object.values(report).some((result) => Object.values(result).some((ms) => !(ms <= LIMIT))) ? 1 : 0);

async function measure(kind) {
  const settings = newSettings();
  const place = await createDatabase(kind);
  let server;
  try {
    note(`${kind}: writing ${teams} teams with ${members} members`);
    const tokens = await seed(settings, place.url);
    server = await startServer('portal', { settings, databaseUrl: place.url });
    note(`${kind}: asking; load ${loadavg()[0].toFixed(1)}`);
    const api = `${server.url}${settings.prefix}`;
    const result = {};
    const time = async (name, address, headers) => {
      result[name] = await p95(address, headers);
      note(`  ${name}: ${result[name]} ms`);
    };
    const authorization = (token) => ({ authorization: `Bearer ${token}` });
    for (const [name, path] of Object.entries(OF_ADMIN))
      await time(name, `${api}/${settings.adminPrefix}${path}`, authorization(tokens.admin));
    for (const [name, path] of Object.entries(OF_DEVELOPER))
      await time(name, api + path, authorization(tokens.developer));
    const cookie = await signIn(`${server.url}/portal`, 'developer1@example.com');
    for (const [name, path] of Object.entries(PAGES))
      await time(name, `${server.url}/portal${path}`, { accept: 'text/html', cookie });
    note(`${kind}: load ${loadavg()[0].toFixed(1)}`);
    return result;
  } finally {
    await server?.stop();
    await place.drop();
  }
}

async function seed(settings, databaseUrl) {
  const { services, database, migrator, close } = createPortal({ config: portalConfig(settings, databaseUrl) });
  try {
    await migrator.up();
    await services.rbac.seed();
    await services.administration.admins.create(ADMIN, 'operator');
    await fill(database);
    const request = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };
    const login = async (account, context) => {
      const outcome = await services.auth.flow.attemptLogin({ ...account, password: PASSWORD }, context, request);
      return outcome.tokens.accessToken;
    };
    return {
      admin: await login(ADMIN, 'admin'),
      developer: await login({ email: 'developer1@example.com' }, 'consumer'),
    };
  } finally {
    await close();
  }
}

async function fill(database) {
  const stamps = ['created_at', 'updated_at'];
  const user = ['id', 'email', 'first_name', 'last_name', 'password_hash', 'status', 'custom_attributes', ...stamps];
  await insertRows(database, 'portal_users', user, developers, userRow);
  await database.execute('UPDATE portal_users SET email_verified_at = created_at', []);
  await insertRows(database, 'portal_users', [...user, 'kind'], teams, accountRow);
  const team = ['id', 'account_id', 'name', 'description', 'status', ...stamps];
  await insertRows(database, 'portal_teams', team, teams, teamRow);
  const seat = ['team_id', 'user_id', 'role', 'muted', ...stamps];
  await insertRows(database, 'portal_team_members', seat, LARGE, (number) => seatRow(1, number));
  await insertRows(database, 'portal_team_members', seat, OWN - 1, (number) => seatRow(number + 1, 1));
  const spread = members - LARGE - OWN + 1;
  const perTeam = Math.ceil(spread / (teams - 1));
  await insertRows(database, 'portal_team_members', seat, spread, (number) => {
    const at = 2 + Math.floor((number - 1) / perTeam);
    // Ten developers who follow each other, none of them the first.
    return seatRow(at, 2 + ((at * 7 + ((number - 1) % perTeam)) % (developers - 2)));
  });
  const request = ['team_id', 'user_id', 'state', ...stamps];
  await insertRows(database, 'portal_team_requests', request, 500, (number) => [
    ...[1, LARGE + number, 'pending', moment(number), moment(number)],
  ]);
  const domain = ['team_id', 'domain', 'mode', 'role', ...stamps];
  await insertRows(database, 'portal_team_domains', domain, teams, (number) => [
    ...[number, number % 20 === 0 ? 'example.com' : `company${number}.example`, 'ask', 'viewer'],
    ...[moment(number), moment(number)],
  ]);
  // InnoDB does this by itself, but some seconds later.
  if (database.dialect === 'mysql')
    await database.select('ANALYZE TABLE portal_users, portal_teams, portal_team_members, portal_team_requests');
}

function accountRow(number) {
  const id = developers + number;
  const stamps = [moment(number), moment(number)];
  return [id, `team-${number}@portal.example`, `Team ${number}`, '', '', 'active', '{}', ...stamps, 'team'];
}

function teamRow(number) {
  const stamps = [moment(number), moment(number)];
  return [number, developers + number, `Team ${number}`, 'Everything about payments.', 'active', ...stamps];
}

function seatRow(team, user) {
  const role = user === 1 ? 'owner' : ROLES[user % ROLES.length];
  return [team, user, role, '[]', moment(user), moment(user)];
}

/** @returns the session's cookie */
async function signIn(base, email) {
  const form = await fetch(`${base}/login`);
  const [, token] = /name="_csrf" value="([^"]*)"/.exec(await form.text());
  const body = new URLSearchParams({ _csrf: token, email, password: PASSWORD });
  const headers = { cookie: cookiesOf(form) };
  const answer = await fetch(`${base}/login`, { method: 'POST', redirect: 'manual', headers, body });
  assert.equal(answer.status, 303);
  return cookiesOf(answer);
}

function cookiesOf(response) {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** Milliseconds within which 95 of 100 answers are there, the first among them; the status when there is none. */
async function p95(address, headers) {
  const times = [];
  for (let count = 0; count < REQUESTS; count += 1) {
    const began = performance.now();
    const response = await fetch(address, { headers });
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
