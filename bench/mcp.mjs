// The MCP endpoint over two thousand products with their documents: p95 of whole answers over HTTP, for a visitor and for a
// developer of an audience. A quarter of the products is private. Of several rounds the quietest counts: neighbours on the machine
// only ever add to a time.
//   npm run bench:mcp -- [--products 2000] [--database sqlite|mysql] [--rounds 3] [--json]
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createDatabase } from './support/databases.mjs';
import { seedPartner } from './support/seed-partner.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings } from './support/settings.mjs';
import { p95Of } from './support/times.mjs';

/** Of each question in each round. */
const REQUESTS = 40;
/** Milliseconds at the 95th percentile. */
const LIMIT = 50;
const OPERATIONS = 9;

const THINGS =
  'account payment transfer refund invoice customer order shipment parcel product catalog price discount coupon cart checkout ' +
  'subscription plan quota key token webhook event report balance statement ledger currency rate country address contact';
const QUALITIES =
  'pending settled archived monthly daily bulk partial recurring external internal shared signed verified expired';
const ACTS = 'create list get update delete cancel confirm export import search approve reject';
const [things, qualities, acts] = [THINGS, QUALITIES, ACTS].map((words) => words.split(' '));

let state = 7;
function random() {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const sentence = (length) =>
  Array.from({ length }, () => pick([things, qualities, acts][Math.floor(random() * 3)])).join(' ');

const call = (name, values) => ({ method: 'tools/call', params: { name, arguments: values() } });
const QUESTIONS = {
  'tools/list': () => ({ method: 'tools/list', params: {} }),
  'resources/list': () => ({ method: 'resources/list', params: {} }),
  'search_apis, one word': () => call('search_apis', () => ({ query: pick(things) })),
  'search_apis, two words': () => call('search_apis', () => ({ query: `${pick(qualities)} ${pick(things)}` })),
  'search_apis, a question': () =>
    call('search_apis', () => ({ query: `how do I ${pick(acts)} a ${pick(qualities)} ${pick(things)}` })),
  'search_apis, all': () => call('search_apis', () => ({})),
  'search, two words': () => call('search', () => ({ query: `${pick(acts)} ${pick(things)}` })),
  get_api: () => call('get_api', () => ({ api: `api-${Math.floor(random() * 40) * 4}` })),
  list_operations: () =>
    call('list_operations', () => ({ api: `api-${Math.floor(random() * 40) * 4}`, query: pick(acts) })),
};

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '2000' },
    database: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : Object.entries(report).map(table).join('\n\n'));
const slowest = Object.values(report).flatMap((times) => Object.values(times).flatMap((one) => Object.values(one)));
process.exit(slowest.some((time) => time > LIMIT) ? 1 : 0);

async function measure(kind) {
  state = 7;
  const settings = newSettings();
  const place = await createDatabase(kind);
  let server;
  try {
    note(`${kind}: writing ${values.products} products`);
    const { token } = await seedPartner(settings, place.url, fill);
    const more = { agents: { mcpCalls: 1_000_000 } };
    server = await startServer('portal', { settings, databaseUrl: place.url, more });
    note(`${kind}: asking; load ${loadavg()[0].toFixed(1)}`);
    const readers = { visitor: {}, developer: { authorization: `Bearer ${token}` } };
    const best = Object.fromEntries(Object.keys(QUESTIONS).map((question) => [question, {}]));
    // The first round warms up.
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      for (const [reader, headers] of Object.entries(readers)) {
        for (const [question, ask] of Object.entries(QUESTIONS)) {
          const time = p95Of(await timesOf(`${server.url}/mcp`, headers, ask));
          if (round > 0) best[question][reader] = Math.min(best[question][reader] ?? Infinity, time);
        }
      }
    }
    note(`${kind}: load ${loadavg()[0].toFixed(1)}`);
    return best;
  } finally {
    await server?.stop();
    await place.drop();
  }
}

async function timesOf(address, headers, ask) {
  const times = [];
  for (let count = 0; count < REQUESTS; count += 1) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...ask() });
    const began = performance.now();
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    });
    const text = await response.text();
    times.push(performance.now() - began);
    assert.equal(response.status, 200, text);
    assert.ok(!text.includes('"error"') && !text.includes('"isError":true'), text.slice(0, 500));
  }
  return times;
}

async function fill(services) {
  for (let number = 0; number < Number(values.products); number += 1) await addProduct(services, number);
}

function addProduct({ catalog }, number) {
  const slug = `api-${number}`;
  const isPrivate = number % 4 === 3;
  const name = `${capital(pick(qualities))} ${pick(things)}s ${number}`;
  const product = {
    ...{ slug, name, shortDescription: sentence(8), description: sentence(60), gatewayProductId: slug },
    ...{ visibility: isPrivate ? 'private' : 'public', approval: 'auto' },
    ...(isPrivate && { audiences: ['partners'] }),
  };
  const paths = {};
  for (let at = 0; at < OPERATIONS; at += 1) {
    const [act, quality, thing] = [pick(acts), pick(qualities), pick(things)];
    paths[`/${quality}-${thing}s/${at}`] = {
      post: {
        operationId: `${act}${capital(quality)}${capital(thing)}${at}`,
        summary: `${capital(act)} a ${quality} ${thing}`,
        description: sentence(30),
        responses: { 200: { description: 'Done.' } },
      },
    };
  }
  return catalog.products.create(product, { openapi: '3.1.0', info: { title: name, version: '1' }, paths });
}

function table([kind, times]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line([`${kind}: p95 in ms`, 'visitor', 'developer']),
    line(['---', '---:', '---:']),
    ...Object.entries(times).map(([question, { visitor, developer }]) => line([question, visitor, developer])),
  ].join('\n');
}

function note(text) {
  process.stderr.write(`${text}\n`);
}
