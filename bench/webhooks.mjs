// Ten thousand events for three endpoints, one of which never answers: how late the others are told, and how long the event
// loop of the portal is kept from other work:
//   npm run bench:webhooks [-- --database sqlite|mysql --events 10000 --rate 50]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CategoryCreatedEvent } from '../dist-test/src/domain/catalog/index.js';
import { createPortal } from '../dist-test/src/portal.js';
import { createDatabase } from './support/databases.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';

const RESOLUTION_MS = 5;
const LIMITS = { 'lag, the largest (s)': 2, 'event loop, p99 (ms)': 50 };

if (process.send) await receive();
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,mysql' },
    events: { type: 'string', default: '10000' },
    /** Events in a second. */
    rate: { type: 'string', default: '50' },
  },
});
const [events, rate] = [Number(values.events), Number(values.rate)];
const report = {};
for (const kind of values.database.split(',')) report[kind] = await measure(kind);
console.log(table(report));
const isSlow = Object.values(report).some((result) => Object.keys(LIMITS).some((name) => result[name] > LIMITS[name]));
process.exit(isSlow ? 1 : 0);

async function measure(kind) {
  const place = await createDatabase(kind);
  const receiver = fork(fileURLToPath(import.meta.url));
  const config = portalConfig(newSettings(), place.url, { outbound: { allow: ['127.0.0.1'] } });
  const portal = createPortal({ config });
  try {
    const [{ port }] = await once(receiver, 'message');
    await portal.migrator.up();
    const category = await prepare(portal, `http://127.0.0.1:${port}`);
    portal.jobs.start();
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const began = performance.now();
    for (let event = 0; event < events; event += 1) {
      await emit(portal, category);
      const ahead = (event * 1000) / rate - (performance.now() - began);
      if (ahead > 0) await sleep(ahead);
    }
    const emitted = performance.now();
    const lags = await drain(receiver);
    delay.disable();
    return {
      'lag, the largest (s)': rounded(lags.at(-1) / 1000),
      'lag, p99 (s)': rounded(lags[Math.floor(lags.length * 0.99)] / 1000),
      'lag, median (s)': rounded(lags[Math.floor(lags.length / 2)] / 1000),
      // The resolution is part of what the monitor reports.
      'event loop, p99 (ms)': rounded(Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS)),
      'events in a second': Math.round((events * 1000) / (emitted - began)),
    };
  } finally {
    receiver.kill();
    await portal.close();
    await place.drop();
  }
}

/** Three endpoints, the first of which takes challenges and nothing else. */
async function prepare({ services: { webhooks, catalog } }, base) {
  for (const path of ['hanging', 'a', 'b']) {
    const input = { url: `${base}/${path}`, events: ['category.*'] };
    await webhooks.endpoints.verify((await webhooks.endpoints.create(input, null, null)).endpoint);
  }
  return catalog.categories.create({ slug: 'maps', name: 'Maps' });
}

function emit({ database, events: bus }, category) {
  return database.transaction((transaction) =>
    bus.emit(new CategoryCreatedEvent({ category, occurredAt: new Date() }), transaction),
  );
}

/** Milliseconds from each event to its receipts, in order, once there are all; the category of {@link prepare} is one more. */
async function drain(receiver) {
  for (;;) {
    const answer = once(receiver, 'message');
    receiver.send('lags');
    const [lags] = await answer;
    if (lags.length >= 2 * (events + 1)) return lags.sort((a, b) => a - b);
    await sleep(100);
  }
}

/** The endpoints, in a process of their own. Ends with its parent. */
async function receive() {
  const seen = new Map();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { type, timestamp, data } = JSON.parse(Buffer.concat(chunks).toString());
      if (type === 'webhook.challenge') return void response.end(JSON.stringify({ challenge: data.challenge }));
      if (request.url === '/hanging') return;
      const key = `${request.url} ${request.headers['webhook-id']}`;
      if (!seen.has(key)) seen.set(key, Date.now() - Date.parse(timestamp));
      response.end();
    });
  });
  process.on('message', () => process.send([...seen.values()]));
  process.on('disconnect', () => process.exit(0));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.send({ port: server.address().port });
  await new Promise(() => undefined);
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}

function table(results) {
  const kinds = Object.keys(results);
  const names = Object.keys(results[kinds[0]]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line([`${events} events`, ...kinds, 'limit']),
    line(['---', ...kinds.map(() => '---:'), '---:']),
    ...names.map((name) => line([name, ...kinds.map((kind) => results[kind][name]), LIMITS[name] ?? ''])),
  ].join('\n');
}
