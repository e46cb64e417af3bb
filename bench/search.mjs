// The search with 20 000 entries: how long each kind of question takes over HTTP, for a visitor and for a developer of an
// audience. A quarter of the products is private.
//   npm run bench:search -- [--entries 20000] [--database sqlite|mysql] [--json]
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { createPortal } from '../dist/portal.js';
import { createDatabase } from './support/databases.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings, portalConfig } from './support/settings.mjs';

const PASSWORD = 'correct horse battery staple';
const REQUESTS = 60;
/** Milliseconds at the 95th percentile, of all questions together. */
const LIMIT = 50;
/** Of each product: itself, its operations and its schemas. */
const PER_PRODUCT = { operations: 40, schemas: 9 };

const THINGS =
  'account payment transfer refund invoice customer order shipment parcel product catalog price discount coupon cart checkout ' +
  'subscription plan quota key token webhook event report balance statement ledger currency rate country address contact ' +
  'device sensor reading alarm vehicle route driver booking ticket seat flight hotel room guest review message template ' +
  'campaign audience segment lead deal task project file folder comment user role permission session policy audit backup';
const QUALITIES =
  'pending settled archived monthly daily bulk partial recurring external internal public shared signed verified expired ' +
  'scheduled failed nested legacy regional global primary secondary temporary virtual';
const ACTS =
  'create list get update delete cancel confirm export import search approve reject validate estimate merge split';
const [things, qualities, acts] = [THINGS, QUALITIES, ACTS].map((words) => words.split(' '));

const QUESTIONS = {
  'whole words': () => `${pick(acts)} ${pick(qualities)} ${pick(things)}`,
  'one word': () => pick(things),
  'an act, in a tenth of all': () => pick(acts),
  'one letter': () => pick(things).slice(0, 1),
  'two letters': () => pick(things).slice(0, 2),
  beginnings: () => `${pick(qualities).slice(0, 4)} ${pick(things).slice(0, 3)}`,
  'a typo': () => misspell(`${pick(qualities)} ${pick(things)}`),
  'nothing there': () => `qqx${Math.floor(random() * 1e6).toString(36)}`,
};

let state = 7;
function random() {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}
function pick(list) {
  return list[Math.floor(random() * list.length)];
}
function misspell(text) {
  const at = 1 + Math.floor(random() * (text.length - 3));
  return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
}
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const sentence = (length) =>
  Array.from({ length }, () => pick([things, qualities, acts][Math.floor(random() * 3)])).join(' ');

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '20000' },
    database: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : table(report));
process.exit(
  Object.values(report).some((result) => result['all, visitor'] > LIMIT || result['all, developer'] > LIMIT) ? 1 : 0,
);

async function measure(kind) {
  state = 7;
  const settings = newSettings();
  const place = await createDatabase(kind);
  let server;
  try {
    note(`${kind}: writing ${values.entries} entries`);
    const token = await seed(settings, place.url);
    server = await startServer('portal', { settings, databaseUrl: place.url });
    note(`${kind}: asking`);
    const visitor = await askAll(server, settings, {});
    const developer = await askAll(server, settings, { authorization: `Bearer ${token}` });
    return { ...visitor.each, 'all, visitor': visitor.all, 'all, developer': developer.all };
  } finally {
    await server?.stop();
    await place.drop();
  }
}

async function askAll(server, settings, headers) {
  const each = {};
  const all = [];
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const times = [];
    for (let count = -3; count < REQUESTS; count += 1) {
      const address = `${server.url}${settings.prefix}/search?q=${encodeURIComponent(question())}`;
      const began = performance.now();
      const response = await fetch(address, { headers });
      await response.arrayBuffer();
      assert.equal(response.status, 200);
      if (count >= 0) times.push(performance.now() - began);
    }
    each[name] = p95(times);
    all.push(...times);
  }
  return { each, all: p95(all) };
}

function p95(times) {
  return Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] * 10) / 10;
}

async function seed(settings, databaseUrl) {
  const portal = createPortal({ config: portalConfig(settings, databaseUrl) });
  const { services, migrator } = portal;
  try {
    await migrator.up();
    await services.catalog.audiences.create({ name: 'partners' });
    const own = { email: 'ada@example.com', password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
    const request = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };
    const { id } = await services.accounts.users.create({ ...own, status: 'active' });
    await services.catalog.audiences.addMembers('partners', [id]);
    const size = 1 + PER_PRODUCT.operations + PER_PRODUCT.schemas;
    for (let number = 0; number < Number(values.entries) / size; number += 1) await addProduct(services, number);
    const began = performance.now();
    await services.search.index.run();
    note(`  indexed in ${Math.round((performance.now() - began) / 1000)} s`);
    const outcome = await services.auth.flow.attemptLogin(
      { email: own.email, password: PASSWORD },
      'consumer',
      request,
    );
    return outcome.tokens.accessToken;
  } finally {
    await portal.close();
  }
}

function addProduct({ catalog }, number) {
  const thing = pick(things);
  const slug = `${thing}-${number}`;
  const isPrivate = number % 4 === 3;
  const product = {
    ...{
      slug,
      name: `${capital(pick(qualities))} ${thing}s`,
      shortDescription: sentence(8),
      description: sentence(80),
    },
    ...{ visibility: isPrivate ? 'private' : 'public', approval: 'auto', gatewayProductId: slug },
    ...(isPrivate && { audiences: ['partners'] }),
  };
  return catalog.products.create(product, documentOf(slug));
}

function documentOf(slug) {
  const paths = {};
  for (let number = 0; number < PER_PRODUCT.operations; number += 1) {
    const [act, quality, thing] = [pick(acts), pick(qualities), pick(things)];
    paths[`/${quality}-${thing}s/${number}`] = {
      post: {
        operationId: `${act}${capital(quality)}${capital(thing)}${number}`,
        summary: `${capital(act)} a ${quality} ${thing}`,
        description: sentence(60),
        parameters: [{ name: `${pick(things)}Id`, in: 'query', description: sentence(8), schema: { type: 'string' } }],
        responses: { 200: { description: sentence(5) } },
      },
    };
  }
  const names = Array.from(
    { length: PER_PRODUCT.schemas },
    (_, at) => `${capital(pick(qualities))}${capital(pick(things))}${at}`,
  );
  const schemaOf = () => ({
    type: 'object',
    description: sentence(20),
    properties: { [pick(things)]: { type: 'string', description: sentence(6) } },
  });
  const schemas = Object.fromEntries(names.map((name) => [name, schemaOf()]));
  return { openapi: '3.1.0', info: { title: slug, version: '1' }, paths, components: { schemas } };
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
