import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const TABLES = [
  'products',
  'product_specs',
  'product_tags',
  'categories',
  'audiences',
  'audience_users',
  'menus',
  'menu_items',
  'users',
];

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
});
afterAll(() => test.stop());

/** On the database of the test. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl, ...env } });

async function rows(): Promise<Record<string, unknown[]>> {
  const tables = TABLES.map(async (table) => [
    table,
    await test.portal.database.select(`SELECT * FROM portal_${table}`),
  ]);
  return Object.fromEntries(await Promise.all(tables)) as Record<string, unknown[]>;
}

describe('portal demo:seed', () => {
  it('refuses production and leaves everything alone', async () => {
    const production = { APP_ENV: 'production', APP_URL: 'https://portal.example' };
    const { exitCode, stdout, stderr } = await run(['demo:seed'], production);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('does not run in production');
    expect(Object.values(await rows()).flat()).toEqual([]);
  });

  it('fills the portal and tells what it made', async () => {
    const { exitCode, stdout } = await run(['demo:seed', '--json']);
    const report = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(report.products).toHaveLength(6);
    expect(report.products).toContainEqual(
      expect.objectContaining({ slug: 'card-issuing', visibility: 'public', approval: 'manual', has_spec: true }),
    );
    expect(report.categories.map(({ slug }: { slug: string }) => slug)).toEqual(['payments', 'banking-data', 'cards']);
    expect(report.developers).toHaveLength(3);
  });

  it('changes nothing the second time, and says so', async () => {
    const before = await rows();
    const { exitCode, stdout } = await run(['demo:seed']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Everything was there already; nothing was changed.');
    expect(stdout).toMatch(/payments +public +auto +yes +kept/);
    expect(await rows()).toEqual(before);
    const report = JSON.parse((await run(['demo:seed', '--json'])).stdout);
    expect(report.developers.map((developer: object) => Object.keys(developer))).toEqual(
      Array.from({ length: 3 }, () => ['email', 'created']),
    );
  });

  it('finishes what was interrupted', async () => {
    const { database } = test.portal;
    await database.execute("DELETE FROM portal_products WHERE slug = 'payments'");
    await database.execute("DELETE FROM portal_users WHERE email = 'tomas.lindqvist@example.org'");
    const report = JSON.parse((await run(['demo:seed', '--json'])).stdout);
    const created = Object.values(report as Record<string, { created: boolean; slug?: string; email?: string }[]>)
      .flat()
      .filter((row) => row.created);
    expect(created.map(({ slug, email }) => slug ?? email)).toEqual(['payments', 'tomas.lindqvist@example.org']);
  });

  it('lets its developers sign in and see what is theirs', async () => {
    await test.portal.database.execute("DELETE FROM portal_users WHERE email = 'tomas.lindqvist@example.org'");
    const report = JSON.parse((await run(['demo:seed', '--json'])).stdout);
    const { email, password } = report.developers.find((row: { created: boolean }) => row.created);
    const login = await test.client.post('/api/v1/auth/login', { email, password });
    const token = login.json.data.access_token as string;
    const see = async (call: object) => {
      const { json } = await test.client.get('/api/v1/api-products?order_by=slug', call);
      return (json.data as { slug: string }[]).map(({ slug }) => slug);
    };
    const open = ['account-information', 'card-issuing', 'exchange-rates', 'payments'];
    expect(await see({})).toEqual(open);
    expect(await see({ token })).toEqual([...open, 'settlement-reports']);
    const spec = await test.client.get('/api/v1/api-products/settlement-reports/spec', { token });
    expect(JSON.parse(spec.text).openapi).toMatch(/^3\./);
    const menu = await test.client.get('/api/v1/menus/header?locale=ar');
    expect(menu.json.data.items[0].children).toHaveLength(3);
  });
});
