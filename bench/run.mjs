// The portal beside a hand-written Express server that gives the same answers from the same database, in one run:
//   npm run bench -- [--only list,me] [--database sqlite|mysql] [--seconds 2] [--rounds 3] [--json] [--profile <folder>]
// Whether a thousand times the rows cost more, the portal beside itself:
//   npm run bench -- --rows 1000000
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scenarioNames, scenarios } from './scenarios.mjs';
import { measurePair } from './support/measure-pair.mjs';
import { growthTable, ratioTable } from './support/report.mjs';
import { newSettings } from './support/settings.mjs';
import { createDatabase } from './support/databases.mjs';
import { startServer } from './support/servers.mjs';
import { seed } from './seed.mjs';

const ROWS = 10_000;
/** What `--rows` is compared with. */
const FEW_ROWS = 1_000;
/** What must not grow with the catalog. */
const GROWTH_SCENARIOS = ['list', 'product', 'cursor', 'users'];

const options = readOptions();
const report = { node: process.version, cpus: `${cpus().length} × ${cpus()[0]?.model}`, ...options, databases: {} };
for (const kind of options.databases) {
  report.databases[kind] = await withDatabases(kind, options.rows ? [FEW_ROWS, options.rows] : [ROWS], measure);
}
if (options.json) console.log(JSON.stringify(report, null, 2));
process.exit(0);

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      database: { type: 'string' },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      rows: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  const names = values.only?.split(',') ?? (rows ? GROWTH_SCENARIOS : scenarioNames);
  const unknown = names.find((name) => !scenarioNames.includes(name));
  if (unknown) throw new Error(`--only: there is no ${unknown}; known are ${scenarioNames.join(', ')}`);
  const databases = values.database?.split(',') ?? ['sqlite', 'mysql'];
  if (databases.some((name) => !['sqlite', 'mysql'].includes(name))) throw new Error('--database is sqlite or mysql');
  const { seconds, rounds, profile, json } = values;
  return { names, databases, seconds: Number(seconds), rounds: Number(rounds), rows, profile, json };
}

/** Seeds one database for each number of rows and removes them afterwards. */
async function withDatabases(kind, sizes, run) {
  // A million rows would be indexed for an hour.
  const settings = { ...newSettings(), search: !options.rows };
  const places = [];
  try {
    for (const rows of sizes) {
      const place = await createDatabase(kind);
      places.push(place);
      note(`${kind}: seeding ${rows} users and products`);
      place.client = await seed({ databaseUrl: place.url, settings, rows });
    }
    return await run(kind, settings, places);
  } finally {
    for (const { drop } of places) await drop();
  }
}

async function measure(kind, settings, places) {
  const pair = options.rows ? places.map((place) => ['portal', place]) : [places[0], places[0]].map(asPair);
  const servers = [];
  try {
    for (const [index, [role, { url: databaseUrl, client }]] of pair.entries()) {
      const profileTo = index === 0 ? options.profile : undefined;
      servers.push({ ...(await startServer(role, { settings, databaseUrl, profileTo })), settings, client });
    }
    const results = {};
    for (const name of options.names) {
      note(`${kind}: ${scenarios[name].title}`);
      results[name] = await measurePair(name, servers, { ...options, compares: !options.rows });
    }
    const table = options.rows ? growthTable(kind, results, servers) : ratioTable(kind, results, servers);
    if (!options.json) console.log(table);
    return { startMs: servers.map(({ startMs }) => Math.round(startMs)), results };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function asPair(place, index) {
  return [index === 0 ? 'portal' : 'raw', place];
}

function note(text) {
  process.stderr.write(`${text}\n`);
}
