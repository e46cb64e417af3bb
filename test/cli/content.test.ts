import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { createProduct } from '../support/factories.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
});
afterAll(() => test.stop());
afterEach(() => rm(join(root, 'content'), { recursive: true, force: true }));

const run = (...args: string[]) => portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });
const put = async (file: string, text: string) => {
  await mkdir(dirname(join(root, 'content', file)), { recursive: true });
  await writeFile(join(root, 'content', file), text);
};

describe('portal make:guide', () => {
  it('begins guides of the portal and of products, and translations, that are sound as they stand', async () => {
    expect((await run('make:guide', 'first-steps')).stdout).toContain('content/guides/first-steps.md');
    expect((await run('make:guide', 'first-steps', '--locale', 'ar')).exitCode).toBe(0);
    const { stdout } = await run('make:guide', 'refunds', '--product', 'payments', '--json');
    expect(JSON.parse(stdout)).toEqual({
      file: 'content/products/payments/refunds.md',
      address: '/portal/products/payments/guides/refunds',
    });
    expect(await readFile(join(root, 'content/guides/first-steps.md'), 'utf8')).toContain('title: First steps');
    expect(existsSync(join(root, 'content/guides/first-steps.ar.md'))).toBe(true);
    expect((await run('content:check', '--files')).stdout).toContain('Nothing is broken in 2 guides.');
  });

  it('writes over nothing, and takes no name that leads elsewhere', async () => {
    await run('make:guide', 'once');
    const again = await run('make:guide', 'once');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    for (const args of [['../out'], ['ok', '--product', '../../x']])
      expect((await run('make:guide', ...args)).exitCode).toBe(2);
  });
});

describe('portal content:check', () => {
  it('names file and line of each broken link, heading, container, operation and translation, and exits with 1', async () => {
    await createProduct(
      test,
      { slug: 'maps' },
      {
        openapi: '3.1.0',
        info: { title: 'Maps', version: '1' },
        paths: { '/t': { get: { operationId: 'getTile', responses: {} } } },
      },
    );
    await test.portal.services.content.guides.create(
      { kind: 'guide', productId: null },
      { slug: 'typed', name: 'Typed' },
    );
    await put(
      'guides/good.md',
      '---\ntitle: Good\n---\n\n## One part\n\n[a](#one-part) [b](bad.md) [c](typed.md)\n\n::operation maps getTile\n',
    );
    await put('guides/good.ar.md', '---\ntitle: جيد\n---\n\nنص\n');
    await put(
      'guides/bad.md',
      [
        ...['---', 'title: Bad', '---', '', '[a](nowhere.md)', '[b](good.md#no-such-part)', '', ':::nonsense', 'x', ''],
        ...[
          '::operation maps noSuch',
          '',
          '::operation absent getIt',
          '',
          '::operation alone',
          '',
          '[d](../products/maps/x.md)',
        ],
      ].join('\n'),
    );
    await put('products/gone/intro.md', '---\ntitle: Intro\n---\nText');
    const { exitCode, stdout } = await run('content:check');
    expect(exitCode).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace('content/', ''));
    expect(lines).toEqual([
      expect.stringMatching(/^guides\/bad\.md:1: It is not translated into ar: write content\/guides\/bad\.ar\.md/),
      expect.stringMatching(/^guides\/bad\.md:5: There is no guide nowhere\.md/),
      expect.stringMatching(
        /^guides\/bad\.md:6: good\.md#no-such-part leads to no heading\. Those there are: one-part/,
      ),
      expect.stringMatching(/^guides\/bad\.md:8: There is no container or operation nonsense/),
      expect.stringMatching(/^guides\/bad\.md:11: The document of maps has no operation noSuch/),
      expect.stringMatching(/^guides\/bad\.md:13: There is no product absent/),
      expect.stringMatching(/^guides\/bad\.md:15: Name the product, too: ::operation PRODUCT alone/),
      expect.stringMatching(/^guides\/bad\.md:17: There is no guide \.\.\/products\/maps\/x\.md/),
      expect.stringMatching(/^products\/gone\/intro\.md:1: It is not translated into ar/),
      expect.stringMatching(/^products\/gone\/intro\.md:1: There is no product gone/),
    ]);
    const offline = await run('content:check', '--files', '--json');
    expect(offline.exitCode).toBe(1);
    expect(JSON.parse(offline.stdout)).toMatchObject({ guides: 3 });
  });
});
