// Measures what must not depend on who asks: whether an account exists cannot be told from how long an answer takes
// (S08, S10), and a burst of logins does not keep a health check waiting (S03). Prints the numbers; the exit code is 1 when
// a bound is broken. Never part of `npm test`: what else the machine does counts.
//
//   npm run test:timing [-- --rounds 400 --database sqlite|mysql]
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { openDatabase } from '../dist-test/src/database/index.js';
import { silentLogger } from '../dist-test/src/core/index.js';
import { testConfig } from '../dist-test/test/support/database-config.js';
import { createProject } from '../dist-test/test/support/project.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '400' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const ROUNDS = Number(values.rounds);
/** Two kinds of answers are told apart only when ranks (|z|) and medians differ: chance does the one or the other alone. */
const MAX_Z = 4;
const MAX_SHARE = 0.03;
const BURST = 300;
const MAX_HEALTH_P99_MS = 100;
const WARM_UP = 10;
/** Failures in a row that no setting lets an account have are 100. */
const TRIES = 50;
const PASSWORD = 'correct horse battery staple 42';

// In a thread of its own: sending 300 requests keeps this one busy, which is not the portal's fault.
const WATCHER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const times = [];
  let isOver = false;
  parentPort.once('message', () => (isOver = true));
  (async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(workerData)).arrayBuffer();
      if (times.push(performance.now() - start) === 1) parentPort.postMessage('watching');
    }
    parentPort.postMessage(times);
  })();
`;

const address = (kind, number) => `${kind}${number}@example.com`;

let failures = 0;
await onServer({}, async ({ url, database }) => {
  const kinds = ['known', 'inactive', 'nopassword'];
  for (const kind of kinds)
    for (let number = 0; number <= ROUNDS / TRIES + 1; number += 1) await register(url, address(kind, number));
  const set = (column, value, kind) =>
    database.execute(`UPDATE portal_users SET ${column} = ? WHERE email LIKE '${kind}%'`, [value]);
  await set('status', 'inactive', 'inactive');
  await set('password_hash', '!', 'nopassword');
  const logIn = (kind, password) => (round) =>
    post(url, '/auth/login', { email: address(kind, Math.floor((round + WARM_UP) / TRIES)), password }, 401);
  const wrong = 'a wrong password 42';
  await compare('login, two unknown addresses (the noise)', logIn('nobody', wrong), logIn('noone', wrong));
  await compare('login, known or unknown address', logIn('known', wrong), logIn('stranger', wrong));
  await compare('login, inactive account with its password', logIn('inactive', PASSWORD), logIn('foreigner', PASSWORD));
  await compare('login, account without a usable hash', logIn('nopassword', wrong), logIn('visitor', wrong));
  await register(url, 'burst@example.com');
  await burst(url);
});
await onServer({ accounts: { verifyEmail: true } }, async ({ url }) => {
  await register(url, 'known@example.com', 202);
  const taken = () => register(url, 'known@example.com', 202);
  await compare('registration with confirmation: taken or free', taken, () =>
    register(url, `${randomUUID()}@example.com`, 202),
  );
});
console.log(failures === 0 ? 'all within their bounds' : `${failures} beyond their bounds`);
process.exitCode = failures === 0 ? 0 : 1;

async function onServer(config, run) {
  const project = await createProject(values.database, config);
  const serving = await project.serve();
  const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  try {
    await run({ url: serving.url, database });
  } finally {
    await database.close();
    await serving.stop();
    await project.remove();
  }
}

async function post(url, path, body, expected) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${text}`);
}

function register(url, email, expected = 201) {
  const body = { first_name: 'Ada', last_name: 'L', email, password: PASSWORD, password_confirmation: PASSWORD };
  return post(url, '/auth/register', body, expected);
}

/** Both kinds in turns, in random order within each turn, so that a busy moment hits both alike. */
async function compare(title, one, other) {
  const times = [[], []];
  const kinds = [one, other];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const order = Math.random() < 0.5 ? [0, 1] : [1, 0];
    for (const kind of order) {
      const start = performance.now();
      await kinds[kind](round);
      if (round >= 0) times[kind].push(performance.now() - start);
    }
  }
  const [first, second] = times.map(median);
  const z = rankSumZ(times[0], times[1]);
  const share = Math.abs(first - second) / Math.min(first, second);
  const isTold = Math.abs(z) > MAX_Z && share > MAX_SHARE;
  print(
    !isTold,
    title,
    `medians ${first.toFixed(2)} and ${second.toFixed(2)} ms (${(share * 100).toFixed(1)} %), z ${z.toFixed(1)}`,
  );
}

async function burst(url) {
  const watcher = new Worker(WATCHER, { eval: true, workerData: `${url}/api/v1/health` });
  await once(watcher, 'message');
  const start = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: BURST }, async () => {
      const body = JSON.stringify({ email: 'burst@example.com', password: PASSWORD });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  watcher.postMessage('stop');
  const [asked] = await once(watcher, 'message');
  const count = (status) => statuses.filter((found) => found === status).length;
  const sorted = asked.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Infinity;
  const odd = statuses.filter((status) => status !== 200 && status !== 503).length;
  print(
    p99 <= MAX_HEALTH_P99_MS && odd === 0,
    `${BURST} parallel logins`,
    `${count(200)} × 200, ${count(503)} × 503, ${odd} others in ${seconds} s; /health ${asked.length} times, ` +
      `median ${median(asked).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, most ${(sorted.at(-1) ?? 0).toFixed(1)} ms`,
  );
}

function print(isWell, title, numbers) {
  if (!isWell) failures += 1;
  console.log(`${isWell ? 'ok    ' : 'BEYOND'} ${title}: ${numbers}`);
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Mann-Whitney: how far the ranks of two samples are apart, in standard deviations. Outliers count no more than others. */
function rankSumZ(first, second) {
  const all = [...first.map((time) => [time, 0]), ...second.map((time) => [time, 1])].sort(([a], [b]) => a - b);
  const rankSum = all.reduce((sum, [, kind], index) => sum + (kind === 0 ? index + 1 : 0), 0);
  const [n, m] = [first.length, second.length];
  const mean = (n * (n + m + 1)) / 2;
  return (rankSum - mean) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
