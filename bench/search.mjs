// The search with 20 000 entries: how long each kind of question takes over HTTP, for a visitor and for a developer of an
// audience, and beside them a search written by hand. A quarter of the products is private, a tenth is translated. Of several
// rounds the quietest counts: neighbours on the machine only ever add to a time.
//   npm run bench:search -- [--entries 20000] [--database sqlite|mysql] [--rounds 3] [--json]
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { createDatabase } from './support/databases.mjs';
import { seedPartner } from './support/seed-partner.mjs';
import { startServer } from './support/servers.mjs';
import { newSettings } from './support/settings.mjs';
import { p95Of } from './support/times.mjs';

/** Of each kind in each round. */
const REQUESTS = 40;
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
const ARABIC = ['المدفوعات الدولية', 'التقارير المالية', 'إدارة الحسابات', 'بوابة التحويلات', 'الفواتير الشهرية'];
const ARABIC_ASKED = ['مدفوعات', 'التقارير الماليه', 'ادارة', 'تحويلات', 'الفواتير الشهريه'];
const [things, qualities, acts] = [THINGS, QUALITIES, ACTS].map((words) => words.split(' '));

const QUESTIONS = {
  'whole words': () => `${pick(acts)} ${pick(qualities)} ${pick(things)}`,
  'one word': () => pick(things),
  'an act, in a tenth of all': () => pick(acts),
  'a word of most texts': () => pick(COMMON),
  'one letter': () => pick(things).slice(0, 1),
  'two letters': () => pick(things).slice(0, 2),
  beginnings: () => `${pick(qualities).slice(0, 4)} ${pick(things).slice(0, 3)}`,
  'a typo': () => misspell(`${pick(qualities)} ${pick(things)}`),
  'Arabic, in another spelling': () => pick(ARABIC_ASKED),
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
/** As people write: few words are everywhere, most are rare. */
const SYLLABLES = 'ba cor del fen gri hal jo ken lum mor nal pel quo ras sil tor ul vem wis yar'.split(' ');
const RARE = Array.from({ length: 6_000 }, (_, at) =>
  [at % 20, Math.floor(at / 20) % 20, Math.floor(at / 400) % 20].map((place) => SYLLABLES[place]).join(''),
);
const COMMON = 'request response value returns when given optional caller service account'.split(' ');
function word() {
  const kind = random();
  if (kind < 0.02) return pick(COMMON);
  if (kind < 0.1) return pick([things, qualities, acts][Math.floor(random() * 3)]);
  return RARE[Math.floor(RARE.length * random() ** 3)];
}
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const sentence = (length) => Array.from({ length }, word).join(' ');

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '20000' },
    database: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const report = {};
for (const kind of values.database?.split(',') ?? ['sqlite', 'mysql']) report[kind] = await measure(kind);
console.log(values.json ? JSON.stringify(report, null, 2) : Object.entries(report).map(table).join('\n\n'));
const slowest = Object.values(report).flatMap(({ all }) => [all.visitor, all.developer]);
process.exit(slowest.some((time) => time > LIMIT) ? 1 : 0);

async function measure(kind) {
  state = 7;
  const settings = newSettings();
  const place = await createDatabase(kind);
  const servers = [];
  try {
    note(`${kind}: writing ${values.entries} entries`);
    const { token, seconds } = await seedPartner(settings, place.url, fill);
    note(`${kind}: indexed in ${seconds.toFixed(1)} s; asking`);
    for (const name of ['portal', 'raw']) servers.push(await startServer(name, { settings, databaseUrl: place.url }));
    const [portal, raw] = servers;
    const askers = {
      visitor: { server: portal, headers: {} },
      developer: { server: portal, headers: { authorization: `Bearer ${token}` } },
      'by hand': { server: raw, headers: {} },
    };
    return { ...(await askAll(askers, settings)), indexing: seconds };
  } finally {
    for (const server of servers) await server.stop();
    await place.drop();
  }
}

/** @returns question → who asks → milliseconds at the 95th percentile in the quietest round; `cpu` → who → milliseconds a question */
async function askAll(askers, settings) {
  const names = Object.keys(askers);
  const best = Object.fromEntries([...Object.keys(QUESTIONS), 'all'].map((question) => [question, {}]));
  const cpu = Object.fromEntries(names.map((name) => [name, Infinity]));
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const name of names) {
      const { server, headers } = askers[name];
      await server.sample();
      const all = [];
      for (const [question, ask] of Object.entries(QUESTIONS)) {
        const times = await timesOf(`${server.url}${settings.prefix}/search`, headers, question, ask);
        all.push(...times);
        // The first round warms up.
        if (round > 0) best[question][name] = Math.min(best[question][name] ?? Infinity, p95Of(times));
      }
      const { cpuMs } = await server.sample();
      if (round === 0) continue;
      best.all[name] = Math.min(best.all[name] ?? Infinity, p95Of(all));
      cpu[name] = Math.min(cpu[name], Math.round((cpuMs / all.length) * 10) / 10);
    }
  }
  return { ...best, cpu };
}

async function timesOf(address, headers, question, ask) {
  const times = [];
  const locale = question.startsWith('Arabic') ? 'ar' : 'en';
  for (let count = 0; count < REQUESTS; count += 1) {
    const began = performance.now();
    const response = await fetch(`${address}?locale=${locale}&q=${encodeURIComponent(ask())}`, { headers });
    await response.arrayBuffer();
    assert.equal(response.status, 200);
    times.push(performance.now() - began);
  }
  return times;
}

async function fill(services) {
  const size = 1 + PER_PRODUCT.operations + PER_PRODUCT.schemas;
  for (let number = 0; number < Number(values.entries) / size; number += 1) await addProduct(services, number);
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
    ...(number % 10 === 5 && { translations: { ar: { name: `${pick(ARABIC)} ${number}` } } }),
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

function table([kind, { indexing, cpu, ...questions }]) {
  const names = Object.keys(cpu);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line([`${kind}: p95 in ms`, ...names]),
    line(['---', ...names.map(() => '---:')]),
    ...Object.entries(questions).map(([question, times]) => line([question, ...names.map((name) => times[name])])),
    line(['processor time of a question', ...names.map((name) => cpu[name])]),
    '',
    `Indexed in ${indexing.toFixed(1)} s.`,
  ].join('\n');
}

function note(text) {
  process.stderr.write(`${text}\n`);
}
