import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { viewerOf } from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const folder = mkdtempSync(join(tmpdir(), 'portal-content-'));
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { content: { dir: folder } }, replicas: 1 });
});
afterAll(async () => {
  await test.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const put = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const guide = (front: string, body = 'Text.') => `---\n${front}\n---\n${body}`;
const content = () => test.portal.services.content;
const sync = () => content().sync.run();
const find = (slug: string, locale = 'en', productId: number | null = null) =>
  content().guides.findBySlug({ kind: 'guide', productId }, slug, viewerOf(null), locale);
const wrong = async () => {
  const { problems } = await sync();
  return problems.map(({ file, line, message }) => `${file.slice(folder.length + 1)}:${line} ${message}`);
};

describe('the content folder', () => {
  it('brings guides, translations, news and guides of products, and takes them away with their files', async () => {
    const { id } = await createProduct(test, { slug: 'payments' });
    put('guides/quickstart.md', guide('title: Quickstart\ngroup: Start\norder: 2', '# Kept\n\nHello.'));
    put('guides/quickstart.ar.md', guide('title: البداية', 'مرحبا.'));
    put('guides/untitled.md', '# From the heading\n\nHello.');
    put('products/payments/refunds.md', guide('title: Refunds\ndescription: "Give it back: all of it"'));
    put('blog/2026-05-01-hello.md', guide('title: Hello'));
    put('guides/_notes.md', 'Not a guide.');
    expect(await sync()).toMatchObject({ written: 4, removed: 0, problems: [] });
    expect(await find('quickstart')).toMatchObject({
      name: 'Quickstart',
      group: 'Start',
      position: 2,
      description: '# Kept\n\nHello.',
    });
    expect(await find('quickstart', 'ar')).toMatchObject({ name: 'البداية', group: 'Start', description: 'مرحبا.' });
    expect(await find('untitled')).toMatchObject({ name: 'From the heading', description: '\nHello.' });
    expect(await find('refunds', 'en', id)).toMatchObject({
      shortDescription: 'Give it back: all of it',
      file: 'products/payments/refunds.md',
    });
    const news = await content().guides.findBySlug({ kind: 'news', productId: null }, 'hello', viewerOf(null), 'en');
    expect(news.publishedAt).toEqual(new Date('2026-05-01T00:00:00.000Z'));
    expect(await sync()).toMatchObject({ written: 0, removed: 0 });
    rmSync(join(folder, 'guides'), { recursive: true });
    expect(await sync()).toMatchObject({ written: 0, removed: 2 });
    rmSync(folder, { recursive: true });
    expect(await sync()).toMatchObject({ removed: 0 });
    expect(await find('refunds', 'en', id)).toMatchObject({ name: 'Refunds' });
    mkdirSync(folder);
    await sync();
  });

  it('names file, line and remedy of what is broken, and keeps what was there', async () => {
    put('guides/good.md', guide('title: Good'));
    await sync();
    put('guides/good.md', guide('title: Good\ngruop: Start'));
    put('guides/yaml.md', guide('title: [open'));
    put('guides/endless.md', '---\ntitle: No end');
    put('guides/Bad Name.md', 'x');
    put('guides/lost.ar.md', guide('title: ضائع'));
    put('guides/good.xx.md', guide('title: x'));
    put('guides/kept.md', guide('title: Kept\norder: many\naudiences: [nobody]'));
    put('guides/audience.md', guide('title: For them\naudiences: [nobody]'));
    put('products/nothing/lost.md', guide('title: Lost'));
    const found = await wrong();
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^guides\/good\.md:3 There is no key gruop\. Did you mean group\?/),
        expect.stringMatching(/^guides\/yaml\.md:\d The front matter is no YAML/),
        expect.stringMatching(/^guides\/endless\.md:1 The front matter has no end/),
        expect.stringMatching(/^guides\/Bad Name\.md:1 The name of the file/),
        expect.stringMatching(/^guides\/lost\.ar\.md:1 There is no lost\.md/),
        expect.stringMatching(/^guides\/good\.xx\.md:1 The portal has no language xx/),
        expect.stringMatching(/^guides\/kept\.md:3 order has to be a number/),
        expect.stringMatching(/^guides\/audience\.md:1 There is no audience "nobody"/),
        expect.stringMatching(/^products\/nothing\/lost\.md:1 There is no product nothing/),
      ]),
    );
    expect(content().sync.problems).toHaveLength(found.length);
    expect(await find('good')).toMatchObject({ name: 'Good' });
    await expect(find('kept')).rejects.toThrow('not found');
    await expect(find('audience')).rejects.toThrow('not found');
  });

  it('wins over the console, which then refuses to change what is managed in files', async () => {
    const admin = await AdminClient.create(test, ['super_admin']);
    const made = await admin.post('/guides', { slug: 'both', name: 'Of the console', visibility: 'public' });
    const path = `/guides/${made.json.data.id as number}`;
    put('guides/both.md', guide('title: Of the file'));
    await sync();
    const { json } = await admin.get(path);
    expect(json.data).toMatchObject({ name: 'Of the file', file: 'guides/both.md' });
    const refused = await admin.put(path, { name: 'Mine again' });
    expect([refused.status, refused.json.errors.file?.[0]]).toEqual([409, expect.stringContaining('guides/both.md')]);
    expect((await admin.delete(path)).status).toBe(409);
  });

  it('is read again when a file changed, or when the product came that a file waited for', async () => {
    put('products/later/intro.md', guide('title: Intro'));
    put('guides/moving.md', guide('title: One'));
    await content().sync.refresh();
    expect(await find('moving')).toMatchObject({ name: 'One' });
    put('guides/moving.md', guide('title: Two'));
    utimesSync(join(folder, 'guides/moving.md'), 1_800_000_000, 1_800_000_000);
    await content().sync.refresh();
    expect(await find('moving')).toMatchObject({ name: 'Two' });
    const { id } = await createProduct(test, { slug: 'later' });
    await test.portal.background.flush();
    expect(await find('intro', 'en', id)).toMatchObject({ name: 'Intro' });
  });

  it.each([
    ['aliases that multiply', 'a: &a [x]\nb: &b [*a,*a]\ntitle: x'],
    ['deep nesting', `title: ${'['.repeat(5_000)}`],
    ['a very long front matter', `title: ${'x'.repeat(20_000)}`],
    ['a list instead of keys', '- title'],
    ['a control character', 'title: "a\u0007"'],
    ['a key of every object', '__proto__: {polluted: true}\ntitle: x'],
  ])('is not hurt by front matter with %s', async (_name, front) => {
    put('guides/hostile.md', guide(front));
    expect((await wrong()).length).toBeGreaterThan(0);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
