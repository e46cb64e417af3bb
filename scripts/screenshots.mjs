/**
 * `npm run screenshots`: every page of the theme over the demo content, at 390 and 1280 px, light and dark, in English and
 * Arabic, into `.scratch/screenshots/`. For eyes: whoever changes how pages look opens them.
 *   npm run screenshots [-- --only dashboard,product] [--look light-en-1280]
 * With `--readme` those of the README instead, into `docs/images/`.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { resolveConfig } from '../dist-test/src/config/index.js';
import { runAs } from '../dist-test/src/core/index.js';
import { createPortal } from '../dist-test/src/portal.js';
import { findBrowser } from './find-browser.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.scratch', 'screenshots');
const LOOKS = ['light', 'dark'].flatMap((scheme) =>
  ['en', 'ar'].flatMap((locale) =>
    [390, 1280].map((width) => ({ name: `${scheme}-${locale}-${width}`, scheme, locale, width })),
  ),
);
const FAULTY = {
  first_name: 'Ada',
  last_name: '',
  email: 'ada@nowhere',
  password: 'short',
  password_confirmation: 'other',
};

const GUEST = {
  landing: '',
  catalog: '/products',
  'catalog-category': '/products?category=payments',
  'catalog-nothing': '/products?q=nothing-like-that',
  product: '/products/payments',
  spec: '/products/payments/spec',
  operation: {
    path: '/products/payments/spec#op-createPayment',
    act: (page) => page.waitForSelector('.reference-samples'),
  },
  'operation-written': '/products/payments/spec/operations/createPayment',
  changes: '/products/payments/changes',
  login: '/login',
  register: '/register',
  'register-faults': { path: '/register', act: (page) => submit(page, FAULTY) },
  'register-weak': { path: '/register', act: (page) => page.fill('[name=password]', 'Password2024!') },
  'register-strong': { path: '/register', act: (page) => page.fill('[name=password]', 'green trains leave at seven') },
  'forgot-password': '/forgot-password',
  'forgot-password-sent': { path: '/forgot-password', act: (page) => submit(page, { email: 'nobody@example.com' }) },
  'verify-email': '/verify-email/unknown',
  'reset-password': '/reset-password/unknown',
  missing: '/nothing',
};
const NEWCOMER = { 'dashboard-new': '/dashboard', 'apps-empty': '/apps' };
const DEVELOPER = {
  dashboard: '/dashboard',
  apps: '/apps',
  'app-create': '/apps/create?product=payments',
  app: '/apps/till',
  'app-open': { path: '/apps/till', act: openAll },
  'app-key': { path: '/apps/till', act: (page) => page.click('form[action$="/reveal"] button') },
  'app-pending': '/apps/ledger',
  'app-usage': '/apps/till/usage',
  'product-held': '/products/payments',
  profile: '/profile',
  'confirm-password': {
    path: '/profile',
    act: (page) => page.click('form[action$="/profile/delete"] button'),
  },
};

/** What the README shows. */
const SHOWN = [
  { file: 'landing', path: '', scheme: 'light', locale: 'en' },
  { file: 'app', path: '/apps/till', scheme: 'light', locale: 'en' },
  { file: 'product-dark', path: '/products/payments', scheme: 'dark', locale: 'en' },
  { file: 'reference', path: '/products/payments/spec#op-createPayment', scheme: 'light', locale: 'en', width: 1400 },
  { file: 'catalog-ar', path: '/products', scheme: 'light', locale: 'ar' },
  ...['light', 'dark'].flatMap((scheme) =>
    [
      ['console-developers', '/users'],
      ['console-inbox', '/inbox'],
    ].map(([name, path]) => ({
      file: scheme === 'dark' ? `${name}-dark` : name,
      path,
      scheme,
      locale: 'en',
      console: true,
    })),
  ),
];

const { only, looks, readme } = readOptions();
const portal = createPortal({ config: config(), root: FOLDER });
const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const { url, accounts } = await prepare();
  if (readme) for (const shown of SHOWN) await show(url, shown, accounts);
  for (const look of readme ? [] : looks) {
    await walk(url, look, GUEST, null);
    await walk(url, look, NEWCOMER, accounts.newcomer);
    await walk(url, look, DEVELOPER, accounts.developer);
    process.stdout.write(`${look.name}\n`);
  }
} finally {
  await browser.close();
  await portal.close();
}
process.stdout.write(`${readme ? join(ROOT, 'docs', 'images') : FOLDER}\n`);
process.exit(0);

function readOptions() {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, look: { type: 'string' }, readme: { type: 'boolean', default: false } },
  });
  const named = values.only?.split(',');
  const wanted = values.look?.split(',');
  return {
    readme: values.readme,
    only: (name) => named === undefined || named.includes(name),
    looks: LOOKS.filter(({ name }) => wanted === undefined || wanted.includes(name)),
  };
}

function config() {
  const definition = {
    app: {
      env: 'test',
      name: 'Meridian Developers',
      key: `base64:${randomBytes(32).toString('base64')}`,
      logLevel: 'error',
    },
    server: { port: 0, host: '127.0.0.1' },
    database: { url: `sqlite:${join(FOLDER, 'portal.sqlite')}` },
    limits: { ip: { requests: { max: 1_000_000, window: 60 } }, forgotPassword: { perIp: 100_000 } },
    portalApi: { jwtSecret: randomBytes(48).toString('base64url') },
  };
  return resolveConfig({ definition }).config;
}

/** The demo content, a developer with apps, and one without. */
async function prepare() {
  await portal.migrator.up();
  const { services } = portal;
  await services.rbac.seed();
  await services.catalog.demo.run(join(ROOT, 'templates', 'demo'), () => undefined);
  const server = await portal.listen();
  const developer = await account('ada@example.com', 'Ada', 'Lovelace');
  const newcomer = await account('alan@example.com', 'Alan', 'Turing');
  const person = { type: 'developer', id: developer.user.id, name: null, email: null };
  await runAs({ person, request: null }, () => createApps(developer));
  return {
    url: `http://127.0.0.1:${server.address.port}`,
    accounts: { developer, newcomer, admin: await createAdmin() },
  };
}

async function createApps(developer) {
  const by = { type: 'developer', id: developer.user.id };
  const { apps, credentials } = portal.services.apps;
  const till = { name: 'till', displayName: 'Till for the corner shop', callbackUrl: 'https://till.example.com/done' };
  const description = 'Takes payments at the counter and books them in the evening.';
  await apps.create(developer.user, { ...till, description, products: ['payments', 'exchange-rates'] }, by);
  await credentials.create(
    await apps.find(developer.user, 'till'),
    { products: ['exchange-rates'], expiresIn: 30 * 86_400 },
    by,
  );
  await apps.create(
    developer.user,
    { name: 'ledger', displayName: 'Ledger', products: ['card-issuing', 'account-information'] },
    by,
  );
  await apps.create(developer.user, { name: 'spike', displayName: 'Spike', description: 'To try things out.' }, by);
  await apps.revoke(await apps.find(developer.user, 'spike'), by);
  const gone = await credentials.create(await apps.find(developer.user, 'ledger'), { products: ['payments'] }, by);
  await credentials.revoke(await credentials.find(await apps.find(developer.user, 'ledger'), gone.id), by);
}

/** With developers who wait for an admin. */
async function createAdmin() {
  const password = randomBytes(18).toString('base64url');
  const { administration, accounts } = portal.services;
  const admin = { email: 'grace@example.com', name: 'Grace Hopper', password, roles: ['super_admin'] };
  await administration.admins.create(admin, 'operator');
  for (const [firstName, lastName] of [
    ['Katherine', 'Johnson'],
    ['Dorothy', 'Vaughan'],
  ]) {
    const email = `${firstName.toLowerCase()}@example.org`;
    await accounts.users.create({ email, firstName, lastName, password, status: 'pending' });
  }
  return { email: admin.email, password };
}

async function account(email, firstName, lastName) {
  const password = randomBytes(18).toString('base64url');
  const user = await portal.services.accounts.users.create({ email, firstName, lastName, password, status: 'active' });
  return { email, password, user };
}

async function walk(baseURL, look, pages, signedIn) {
  const chosen = Object.entries(pages).filter(([name]) => only(name));
  if (chosen.length === 0) return;
  const context = await browser.newContext({
    ...{ baseURL, locale: look.locale === 'ar' ? 'ar' : 'en-GB', colorScheme: look.scheme, reducedMotion: 'reduce' },
    ...{ viewport: { width: look.width, height: 860 }, timezoneId: 'Europe/London' },
  });
  const page = await context.newPage();
  if (signedIn) {
    await page.goto('/portal/login');
    await submit(page, signedIn);
  }
  for (const [name, entry] of chosen) {
    const { path, act } = typeof entry === 'string' ? { path: entry } : entry;
    await page.goto(`/portal${path}`);
    await act?.(page);
    await page.waitForLoadState('load');
    await page.screenshot({ path: join(FOLDER, `${name}-${look.name}.png`), fullPage: true });
  }
  await context.close();
}

async function show(baseURL, shown, { developer, admin }) {
  const { file, path, scheme, locale, width = 1200, console: isConsole = false } = shown;
  const context = await browser.newContext({
    ...{ baseURL, locale: locale === 'ar' ? 'ar' : 'en-GB', colorScheme: scheme, reducedMotion: 'reduce' },
    viewport: { width, height: 760 },
  });
  const page = await context.newPage();
  const prefix = isConsole ? '/admin' : '/portal';
  if (isConsole || path.startsWith('/apps')) {
    await page.goto(`${prefix}/login`);
    await submit(page, isConsole ? admin : developer);
  }
  await page.goto(`${prefix}${path}`);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(ROOT, 'docs', 'images', `${file}.png`) });
  await context.close();
}

async function submit(page, fields) {
  const form = page.locator('main form').first();
  await form.evaluate((element) => (element.noValidate = true));
  for (const [name, value] of Object.entries(fields)) {
    const input = form.locator(`[name="${name}"]`);
    if (typeof value === 'string' && (await input.count()) > 0) await input.fill(value);
  }
  await Promise.all([page.waitForLoadState('load'), form.locator('button.button-main').click()]);
}

function openAll(page) {
  return page.evaluate("document.querySelectorAll('main details').forEach((part) => (part.open = true))");
}
