/**
 * `npm run demo`: a host project made by the real `portal init`, migrated, seeded and served, with a sample API behind a
 * proxy that asks the portal for every key. Ctrl-C ends all of it. The next run goes on with its project; `--fresh` makes a
 * new one, and `--project <folder>` has another place for it. `--public <address>` shows it to everybody, who then are its
 * developers and admins; `--reset-every <minutes>` throws away what they did. The image of the demo does both.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listen } from './listen.mjs';
import { lockDemo } from './lock.mjs';
import { PortalClient } from './portal-client.mjs';
import { BASE_PATH, createSampleApi } from './sample-api.mjs';
import { StepFailed, Steps } from './steps.mjs';
import { guide } from './guide.mjs';
import { makeSignInLinks } from './module/sign-in-links.mjs';
import { createCallers, keepCalling, offerPlans } from './traffic.mjs';
import { makeTour } from './module/tour.mjs';
import { createVerifyProxy } from './verify-proxy.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { values: OPTIONS } = parseArgs({
  options: {
    // `--keep` was what is done anyway by now.
    ...{ fresh: { type: 'boolean' }, keep: { type: 'boolean' }, port: { type: 'string', default: '3000' } },
    project: { type: 'string', default: join(ROOT, '.scratch', 'demo') },
    ...{ public: { type: 'string' }, 'reset-every': { type: 'string' } },
    ...{ 'sample-port': { type: 'string', default: '3001' }, 'sample-address': { type: 'string' } },
  },
});
const PROJECT = resolve(OPTIONS.project);
const LOCK = `${PROJECT}.lock`;
const LOGINS = join(PROJECT, '.demo-logins.json');
/** A document that breaks callers, for whoever tries what uploading one says. */
const NEXT_DOCUMENT = join(PROJECT, 'exchange-rates-next.json');
const PRODUCT = 'exchange-rates';
/** An admin approves it for each key. */
const MANUAL_PRODUCT = 'card-issuing';
const SAMPLE_SERVER = 'The sample API of this demo';
const ADMIN_EMAIL = 'admin@example.com';
const READY_WITHIN_MS = 30_000;

const print = (line) => process.stdout.write(`${line}\n`);
const steps = new Steps(print);
const servers = [];
let stopCalling = () => undefined;

const portal = (...args) => [process.execPath, join(PROJECT, 'node_modules', 'portalkit', 'bin', 'portal.js'), ...args];
const inProject = (args, options) => steps.run(portal(...args), { cwd: PROJECT, ...options });

/** The wanted port when it is free, otherwise any free one, which is said. */
async function freePort(wanted) {
  const attempt = (port) =>
    new Promise((resolve, reject) => {
      const probe = createServer().once('error', reject);
      probe.listen(port, '127.0.0.1', () => {
        const { port: bound } = probe.address();
        probe.close(() => resolve(bound));
      });
    });
  try {
    return await attempt(wanted);
  } catch (error) {
    const port = await attempt(0);
    const reason = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be had (${error.code})`;
    print(`[${steps.elapsed()}] Port ${wanted} ${reason}: the portal gets ${port}. --port <port> chooses another one.`);
    return port;
  }
}

function parseSeed(stdout) {
  try {
    const { products, developers } = JSON.parse(stdout);
    if (!developers[0].email || !developers[0].password) throw new Error('no developer with a password');
    return { products, developers };
  } catch (cause) {
    throw new StepFailed(`demo:seed --json did not print what was expected (${cause.message})`, stdout);
  }
}

/** Makes the host project from nothing and answers the logins in it. */
async function createProject() {
  await rm(PROJECT, { recursive: true, force: true });
  await mkdir(join(PROJECT, '..'), { recursive: true });
  await steps.step('Scaffolding a host project (portal init)', async () => {
    const init = ['init', PROJECT, '--yes', '--no-install'];
    await steps.run([process.execPath, join(ROOT, 'bin', 'portal.js'), ...init], { cwd: ROOT });
    await linkPackage();
  });
  await steps.step('Creating the database (portal migrate)', () => inProject(['migrate']));
  await steps.step('Seeding roles and permissions (portal rbac:seed)', () => inProject(['rbac:seed']));
  const admin = { email: ADMIN_EMAIL, password: randomBytes(18).toString('base64url') };
  const account = ['--email', admin.email, '--name', 'Demo Admin', '--role', 'super_admin', '--password-stdin'];
  await steps.step('Creating an administrator (portal admin:create)', () =>
    inProject(['admin:create', ...account], { input: `${admin.password}\n` }),
  );
  const seed = await steps.step('Seeding the demo catalog (portal demo:seed)', async () =>
    parseSeed(await inProject(['demo:seed', '--json'])),
  );
  const logins = { admin, developers: seed.developers, products: seed.products.length };
  await keepLogins(logins);
  return logins;
}

/**
 * This clone is installed already: its project takes the package from it and need not install it a second time. What it ships is
 * linked, not the clone itself, which holds the project: whoever follows links would go round in circles.
 */
async function linkPackage() {
  const installed = join(PROJECT, 'node_modules', 'portalkit');
  await mkdir(installed, { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const folder of ['bin', 'dist', 'src', 'stubs', 'templates']) {
    await symlink(join(ROOT, folder), join(installed, folder), 'junction');
  }
  // As an installation leaves it, for `npx portal` and the scripts of the project.
  const commands = join(PROJECT, 'node_modules', '.bin');
  await mkdir(commands, { recursive: true });
  if (process.platform !== 'win32') await symlink('../portalkit/bin/portal.js', join(commands, 'portal'));
  else await writeFile(join(commands, 'portal.cmd'), '@node "%~dp0\\..\\portalkit\\bin\\portal.js" %*\r\n');
}

async function keepLogins(logins) {
  await writeFile(LOGINS, JSON.stringify(logins, null, 2));
  await chmod(LOGINS, 0o600);
}

/** Tour and sign-in links are a module of this project, not of the portal: no other project has the door that they open. */
async function addDemoModule() {
  const config = join(PROJECT, 'portal.config.ts');
  await cp(fileURLToPath(new URL('module/', import.meta.url)), join(PROJECT, 'src', 'demo'), { recursive: true });
  const text = await readFile(config, 'utf8');
  if (text.includes('./src/demo/')) return;
  // Projects of earlier versions have the links alone.
  const whole = text.replace('./src/demo-sign-in.mjs', './src/demo/sign-in-links.mjs');
  if (whole !== text) return writeFile(config, whole);
  const [head, ...rest] = text.split('export default defineConfig({\n');
  const imports =
    "import * as portalkit from 'portalkit';\nimport { demoSignIn } from './src/demo/sign-in-links.mjs';\n";
  const start = 'export default defineConfig({\n  modules: [demoSignIn(portalkit)],\n';
  await writeFile(config, `${imports}${head}${start}${rest.join('')}`);
}

async function reuseProject() {
  await steps.step(
    'Going on with the project of the last run; npm run demo -- --fresh makes a new one (portal migrate)',
    () => inProject(['migrate']),
  );
  return JSON.parse(await readFile(LOGINS, 'utf8'));
}

/**
 * The sample API behind its proxy. Pages of the portal may call it, so that "Try it" in its reference works.
 * @returns {Promise<{ own: string, shown: string }>} its address on this machine, and for whoever looks at the demo
 */
async function serveSample(url, { audience, samplePort, sampleAddress }) {
  const upstream = await open(createSampleApi());
  const pages = [url, url.replace('127.0.0.1', 'localhost'), ...(audience ? [audience] : [])];
  const proxy = createVerifyProxy({ portal: url, product: PRODUCT, upstream, pages });
  if (!audience) {
    const own = await open(proxy);
    return { own, shown: own };
  }
  const bound = await open(proxy, { port: samplePort, host: '0.0.0.0' });
  const at = (address) => `${address.replace(/:\d+$/, '')}:${new URL(bound).port}`;
  return { own: at('http://127.0.0.1'), shown: sampleAddress ?? at(audience) };
}

async function servePortal(url, proxy, { links, tour, audience }) {
  const client = new PortalClient(`${url}/api/v1`);
  // Whatever ends TLS in front of it is a proxy.
  const proxies = audience?.startsWith('https:') ? '1' : '0';
  const shown = audience && {
    ...{ APP_URL: audience, APP_TRUST_PROXY: proxies, SERVER_HOST: '0.0.0.0' },
    DEMO_SIGN_IN_EVERYBODY: 'true',
  };
  const env = { CATALOG_TRY_IT_ORIGINS: proxy, DEMO_SIGN_IN_LINKS: links, DEMO_SIGN_IN_TOUR: tour, ...shown };
  const { ended } = steps.start(portal('serve', '--port', new URL(url).port), { cwd: PROJECT, env });
  await client.ready(ended, READY_WITHIN_MS);
  return { client, ended };
}

async function open(server, place) {
  const listening = await listen(server, place);
  servers.push(listening);
  return listening.url;
}

/** Addresses worth showing: those that answer. */
async function answering(url, candidates) {
  const checked = candidates.map(async ([name, path]) => {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    return response?.ok ? [[name, url + path]] : [];
  });
  return (await Promise.all(checked)).flat();
}

/** Takes the first two steps of the walk that the guide prints, so that it prints nothing that does not work. */
async function expectStatus(url, headers, wanted) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  if (response.status !== wanted) {
    throw new StepFailed(`${url} answered ${response.status} instead of ${wanted}`, await response.text());
  }
}

/** The inbox of the console is not empty then. */
async function askForApproval(client, { developers }) {
  const { email, password } = developers.at(-1);
  await client.login(email, password);
  await client.createApp({
    ...{ name: 'travel-cards', display_name: 'Travel cards', products: [MANUAL_PRODUCT] },
    description: 'Virtual cards for 40 travelling colleagues; our security review of May is done.',
  });
}

/** Everything that needs the running portal: the sample API in its document, a key for it, and the guide. */
async function showAround({ url, proxy, client, logins, appName, tour, links, kept, audience }) {
  const [sample, shown] = [`${proxy.own}${BASE_PATH}`, `${proxy.shown}${BASE_PATH}`];
  await steps.step('Naming the sample API in the document of its product, over REST', async () => {
    await client.loginAsAdmin(logins.admin.email, logins.admin.password);
    const document = await client.nameServer(PRODUCT, { url: shown, description: SAMPLE_SERVER });
    await writeFile(NEXT_DOCUMENT, JSON.stringify(breakCallers(document), null, 2));
  });
  // Projects of earlier versions have no plans.
  const isNew = logins.callerKey === undefined;
  if (isNew) await steps.step('Offering plans of the product, over REST', () => offerPlans(client, PRODUCT));
  const app = await steps.step('Creating an app and a key as the developer, over REST', async () => {
    await client.login(logins.developers[0].email, logins.developers[0].password);
    const created = await client.createApp({ name: appName, display_name: 'First steps', products: [PRODUCT] });
    await expectStatus(`${sample}/whoami`, {}, 401);
    await expectStatus(`${sample}/whoami`, { 'X-API-Key': created.key }, 200);
    print(`[${steps.elapsed()}] The first 200 through the proxy, ${steps.elapsed().trim()} after the demo began`);
    return created;
  });
  if (!kept)
    await steps.step('Asking for an app that waits for an admin, over REST', () => askForApproval(client, logins));
  if (isNew) {
    await steps.step('Calling the sample API as two other apps, one of which uses up 78 % of its plan', async () => {
      logins.callerKey = await createCallers(client, logins.developers, { product: PRODUCT, sample });
      await keepLogins(logins);
    });
  }
  stopCalling = keepCalling(sample, logins.callerKey);
  const pages = await answering(url, [
    ['Portal', '/portal'],
    ['Console', '/admin'],
    ['Try it', `/portal/products/${PRODUCT}/spec#op-listCurrencies`],
    ['API docs', '/docs'],
    ['REST API', '/api/v1/api-products'],
  ]);
  print(`[${steps.elapsed()}] Ready.\n`);
  print(audience ? `Everybody begins at ${tour}` : guide({ url, pages, sample, app, logins, tour, links }));
}

/** The same document without its last path: what its callers ask for is gone. */
function breakCallers({ paths, ...document }) {
  return { ...document, paths: Object.fromEntries(Object.entries(paths ?? {}).slice(0, -1)) };
}

/** From the project to the guide. @returns {Promise<{ ended: Promise<never> }>} which rejects when the portal ends by itself */
async function begin({ kept, audience, port, ...sample }) {
  const logins = kept ? await reuseProject() : await createProject();
  const url = `http://127.0.0.1:${await freePort(port)}`;
  const proxy = await steps.step('Starting the sample API and the proxy in front of it', () =>
    serveSample(url, { audience, ...sample }),
  );
  await addDemoModule();
  const appName = kept ? `first-steps-${randomBytes(3).toString('hex')}` : 'first-steps';
  const [developer, watcher] = logins.developers.map(({ email }) => ({ context: 'consumer', email }));
  const admin = { context: 'admin', email: logins.admin.email };
  const people = { developer, watcher, admin };
  const file = relative(ROOT, NEXT_DOCUMENT);
  const tour = makeTour(audience ?? url, { product: PRODUCT, app: appName, file, people, isPublic: Boolean(audience) });
  const { setting, links } = makeSignInLinks(url, [developer, admin, ...tour.accounts]);
  const { client, ended } = await steps.step('Starting the portal (portal serve)', () =>
    servePortal(url, proxy.shown, { links: setting, tour: tour.setting, audience }),
  );
  const around = { url, proxy, client, logins, appName, tour: tour.address, links, kept, audience };
  await Promise.race([ended, showAround(around)]);
  return { ended };
}

function readOptions() {
  const minutes = OPTIONS['reset-every'] === undefined ? null : Number(OPTIONS['reset-every']);
  if (minutes !== null && !(minutes > 0)) throw new Error('--reset-every takes minutes.');
  if (OPTIONS.public !== undefined && !URL.canParse(OPTIONS.public))
    throw new Error('--public takes the address under which everybody sees it: http://localhost:3000');
  const audience = OPTIONS.public && new URL(OPTIONS.public).origin;
  return {
    audience,
    minutes,
    fresh: OPTIONS.fresh,
    port: Number(OPTIONS.port),
    samplePort: Number(OPTIONS['sample-port']),
    sampleAddress: OPTIONS['sample-address'],
  };
}

async function main() {
  const { fresh, minutes, ...place } = readOptions();
  process.on('exit', lockDemo(LOCK));
  let kept = !fresh && existsSync(LOGINS);
  for (;;) {
    const { ended } = await begin({ kept, ...place });
    const reset = minutes === null ? [] : [pause(minutes * 60_000)];
    await Promise.race([ended, ...reset]);
    await endAll();
    kept = false;
    steps.startOver();
    print(`[${steps.elapsed()}] Starting over: whatever was done in the demo is thrown away`);
  }
}

async function endAll() {
  stopCalling();
  await Promise.all([steps.end(), ...servers.splice(0).map((server) => server.close())]);
}

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, async () => {
    if (stopping) {
      steps.kill();
      process.exit(1);
    }
    stopping = true;
    print('\nEnding the demo …');
    await endAll();
    process.exit(0);
  });
}

try {
  await main();
} catch (error) {
  // A child that the signal ended looks like a failed step; it is not one.
  if (!stopping) {
    stopping = true;
    if (error.output) process.stderr.write(`${error.output.trimEnd()}\n\n`);
    process.stderr.write(`The demo stopped. ${error.message}\n`);
    await endAll();
    process.exit(1);
  }
}
