// What a second process brings, `portal serve --workers 1` beside `--workers N` over the same database, each loaded in turn:
//   npm run bench:workers [-- --workers 2 --database sqlite|mysql --only list,me --seconds 2 --rounds 5]
// The load generator and the database have the same processors, so that no machine doubles anything.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measurePair } from './support/measure-pair.mjs';
import { createBenchDatabase } from './support/mariadb.mjs';
import { workersTable } from './support/report.mjs';
import { serveCommand } from './support/serve-command.mjs';
import { newSettings, portalDefinition } from './support/settings.mjs';
import { seed } from './seed.mjs';

/** Of a processor's time, as /proc counts it. */
const TICK_MS = 10;
const ROWS = 10_000;

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    database: { type: 'string', default: 'mysql' },
    only: { type: 'string', default: 'list,product,me,users,cursor,login' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'portalkit-bench-'));
const database =
  values.database === 'mysql'
    ? await createBenchDatabase()
    : { url: `sqlite:${join(folder, 'portal.sqlite')}`, drop: async () => undefined };
const settings = newSettings();
try {
  process.stderr.write(`seeding ${ROWS} users and products\n`);
  const client = await seed({ databaseUrl: database.url, settings, rows: ROWS });
  writeProject();
  const servers = [];
  for (const workers of ['1', values.workers]) servers.push({ ...(await serve(workers)), settings, client });
  const results = {};
  for (const name of values.only.split(',')) {
    process.stderr.write(`${name}\n`);
    const options = { seconds: Number(values.seconds), rounds: Number(values.rounds), compares: false };
    results[name] = await measurePair(name, servers, options);
  }
  for (const { stop } of servers) await stop();
  console.log(workersTable(values.database, results, values.workers));
} finally {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function writeProject() {
  const { app, ...rest } = portalDefinition(settings, database.url);
  // Where it listens is said in the log.
  const definition = JSON.stringify({ ...rest, app: { ...app, logLevel: 'info' } });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'portal.config.js'), `export default ${definition};\n`);
}

async function serve(workers) {
  const { url, pid, stop } = await serveCommand(folder, '--workers', workers);
  let before = 0;
  return {
    kind: 'portal',
    url,
    async sample() {
      const used = processes(pid)
        .map(cpuMs)
        .reduce((sum, one) => sum + one, 0);
      const cpu = used - before;
      before = used;
      return { cpuMs: cpu, loopDelayP99Ms: 0, rssMiB: 0 };
    },
    stop,
  };
}

/** A process and its children. */
function processes(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processes(Number(child)))];
}

function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
