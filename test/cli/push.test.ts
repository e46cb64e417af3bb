import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { createProduct } from '../support/factories.js';
import { portal } from '../support/portal-command.js';
import { deep } from '../support/small-specs.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const api = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Ships', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'fine' } } } }])),
});

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  const files = { 'old.json': api('/ships'), 'more.json': api('/ships', '/crews'), 'less.json': api('/crews') };
  for (const [name, document] of Object.entries(files)) writeFileSync(join(root, name), JSON.stringify(document));
  writeFileSync(join(root, 'broken.json'), '{"openapi":');
  await createProduct(test, { slug: 'ships' }, api('/ships'));
});
afterAll(() => test.stop());

const run = (...args: string[]) =>
  portal(['push', ...args], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });
const pathsOf = async (reference: string) => {
  const { document } = await test.portal.services.catalog.products.spec(reference, { kind: 'admin' });
  return Object.keys((JSON.parse(String(document)) as ReturnType<typeof api>).paths);
};

describe('portal push', () => {
  it('gives a product its document, keeps where it came from, and stops at what breaks callers', async () => {
    const added = await run('ships', 'more.json', '--check-breaking', '--commit', '9fceb02');
    expect([added.exitCode, added.stdout]).toEqual([0, expect.stringContaining('GET /crews')]);
    const stopped = await run('ships', 'less.json', '--check-breaking', '--format', 'markdown');
    expect([stopped.exitCode, stopped.stdout]).toEqual([1, expect.stringContaining('### Breaking (1)')]);
    expect(await pathsOf('ships')).toEqual(['/ships', '/crews']);
    const tried = await run('ships', 'less.json', '--dry-run', '--json');
    expect(JSON.parse(tried.stdout)).toMatchObject({ outcome: 'dry-run', counts: { breaking: 1 } });
    const meant = await run('ships', 'less.json', '--check-breaking', '--reason', 'Agreed with all.');
    expect([meant.exitCode, await pathsOf('ships')]).toEqual([0, ['/crews']]);
    const sql =
      'SELECT source_commit AS source, reason, breaking, author_type AS author FROM portal_product_documents ORDER BY id';
    const [, second, third] = await test.portal.database.select(sql);
    expect(second).toMatchObject({ source: '9fceb02', reason: null, breaking: 0, author: 'operator' });
    expect(third).toMatchObject({ reason: 'Agreed with all.', breaking: 1 });
  });

  it('stops at what it could not compare in whole', async () => {
    await createProduct(test, { slug: 'deep' }, deep({ type: 'string' }));
    writeFileSync(join(root, 'deep.json'), JSON.stringify(deep({ type: 'integer' })));
    const unknown = await run('deep', 'deep.json', '--check-breaking');
    expect([unknown.exitCode, unknown.stdout]).toEqual([1, expect.stringContaining('too involved')]);
  });

  it('gives a version its document, and names what there is not', async () => {
    const { products, versions } = test.portal.services.catalog;
    const product = await products.findForAdmin('ships');
    await versions.create(product, { name: 'v1' });
    await versions.create(product, { name: 'v2' });
    expect((await run('ships', 'old.json', '--api-version', 'v2')).exitCode).toBe(0);
    expect([await pathsOf('ships@v2'), await pathsOf('ships')]).toEqual([['/ships'], ['/crews']]);
    for (const args of [
      ['nothing', 'old.json'],
      ['ships', 'none.json'],
      ['ships', 'old.json', '--api-version', 'v9'],
      ['ships', 'broken.json'],
    ])
      expect([args, (await run(...args)).exitCode]).not.toEqual([args, 0]);
    expect((await run('ships', 'broken.json')).exitCode).toBe(2);
  });
});

describe('portal push over the network', () => {
  const WITH = ['portal.products.view', 'portal.products.update'];
  let count = 0;
  const tokenWith = async (...permissions: string[]) => {
    const { rbac, administration } = test.portal.services;
    await rbac.seed();
    const name = `ci-${(count += 1)}`;
    return (await administration.serviceTokens.create({ name, permissions }, 'operator')).secret;
  };
  const send = (token: string | null, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    portal(['push', ...args, '--server', test.client.url], {
      cwd: root,
      env: { ...env, ...(token !== null && { PORTAL_TOKEN: token }) },
    });

  it('does the same with a service token, and keeps the commit and the run of the pipeline', async () => {
    await createProduct(test, { slug: 'afar' }, api('/ships'));
    const token = await tokenWith(...WITH);
    const run = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' };
    const added = await send(token, ['afar', 'more.json', '--check-breaking'], { ...run, GITHUB_SHA: '9fceb02' });
    expect([added.exitCode, added.stdout]).toEqual([0, expect.stringContaining('GET /crews')]);
    expect(added.stderr).toContain('Drafted in the changelog');
    const stopped = await send(token, ['afar', 'less.json', '--check-breaking', '--format', 'markdown']);
    expect([stopped.exitCode, stopped.stdout]).toEqual([1, expect.stringContaining('### Breaking (1)')]);
    expect(await pathsOf('afar')).toEqual(['/ships', '/crews']);
    const tried = await send(token, ['afar', 'less.json', '--dry-run', '--json']);
    expect(JSON.parse(tried.stdout)).toMatchObject({
      outcome: 'dry-run',
      counts: { breaking: 1 },
      drafted_change: null,
    });
    const again = await send(token, ['afar', 'more.json', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'unchanged', compared: false });
    const meant = await portal(
      [
        'push',
        'afar',
        'less.json',
        '--check-breaking',
        '--reason',
        'Agreed.',
        '--server',
        test.client.url,
        '--token',
        token,
      ],
      { cwd: root, env: { CI_COMMIT_SHA: 'abc', CI_JOB_URL: 'https://gitlab.example.com/j/1' } },
    );
    expect([meant.exitCode, await pathsOf('afar')]).toEqual([0, ['/crews']]);
    const { id } = await test.portal.services.catalog.products.findForAdmin('afar');
    const sql = `SELECT source_commit AS source, source_url AS url, reason, author_type AS author, author_name AS name
      FROM portal_product_documents WHERE product_id = ? ORDER BY id`;
    const [, second, third] = await test.portal.database.select(sql, [id]);
    const url = 'https://github.com/a/b/actions/runs/7';
    expect(second).toMatchObject({ source: '9fceb02', url, reason: null, author: 'service', name: 'ci-1' });
    expect(third).toMatchObject({ source: 'abc', url: 'https://gitlab.example.com/j/1', reason: 'Agreed.' });
  });

  it('ends with 2 for a document that cannot be read, and with 1 where the portal refuses', async () => {
    const token = await tokenWith(...WITH);
    for (const [args, code, told] of [
      [['afar', 'broken.json'], 2, 'setProductSpec'],
      [['afar', 'none.json'], 2, 'none.json'],
      [['nothing', 'old.json'], 1, 'the product nothing'],
      [['afar', 'old.json', '--api-version', 'v9'], 1, 'the version v9'],
    ] as const) {
      const { exitCode, stderr } = await send(token, args);
      expect([args, exitCode, stderr]).toEqual([args, code, expect.stringContaining(told)]);
    }
    const reader = await tokenWith('portal.products.view');
    for (const [bad, told] of [
      [reader, '403'],
      ['nonsense', '401'],
      [null, 'PORTAL_TOKEN'],
    ] as const) {
      const { exitCode, stderr } = await send(bad, ['afar', 'old.json']);
      expect([bad, exitCode, stderr]).toEqual([bad, 1, expect.stringContaining(told)]);
      expect(stderr).not.toContain(reader);
    }
    const local = await portal(['push', 'afar', 'old.json', '--token', 'x'], { cwd: root, env: {} });
    expect(local.exitCode).toBe(2);
  });
});
