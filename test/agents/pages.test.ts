import { createPlan, createProduct } from '../support/factories.js';
import { HARBOUR, HARBOUR_WORKFLOWS } from '../support/documents.js';
import { insertProducts } from '../support/insert-product.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const BASE = 'http://127.0.0.1:3000';
const MARKDOWN = 'text/markdown; charset=utf-8';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { agents: { maxLength: 4_000, maxFullLength: 20_000 } } });
  await createPlan(test, { slug: 'gold', name: 'Gold', price: '9 a month' });
  await createProduct(
    test,
    {
      ...{ slug: 'harbour', name: 'Harbour [north]', shortDescription: 'Ships *come* and go.', plans: ['gold'] },
      ...{ description: 'Ask **early**.\n\n```sh\necho open', tags: ['sea'] },
      translations: { ar: { name: 'الميناء' } },
    },
    HARBOUR,
  );
  await createProduct(test, { slug: 'hidden', name: 'Hidden', visibility: 'private' });
});
afterAll(() => test.stop());

const giveWorkflows = async (document: object = HARBOUR_WORKFLOWS) => {
  const { products } = test.portal.services.catalog;
  return products.setWorkflows(await products.findForAdmin('harbour'), Buffer.from(JSON.stringify(document)));
};
const open = (path: string, headers: Record<string, string> = {}) => new PageClient(test.client).get(path, { headers });
async function setIntroduction(value: string | null): Promise<void> {
  const { settings } = test.portal.services.site;
  const { id } = await settings.find('agents.introduction');
  await settings.update(id, { value });
}

describe('llms.txt', () => {
  it('names the portal, its products and what else there is, at the root and below the prefix', async () => {
    const { status, headers, html: text } = await open('/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Developer Portal\n\n> /);
    expect(text).toContain(`- [Harbour \\[north\\]](${BASE}/portal/products/harbour.md): Ships \\*come\\* and go.`);
    expect(text).toContain(`(${BASE}/.well-known/api-catalog)`);
    expect(text).not.toMatch(/hidden/i);
    expect((await open('/portal/llms.txt')).html).toBe(text);
    // The first page leads on in the same way.
    for (const [path, accept] of [
      ['/portal/index.md', '*/*'],
      ['/portal', 'text/markdown'],
    ]) {
      const page = await open(path ?? '', { accept: accept ?? '' });
      expect([page.html, page.headers.get('content-type')]).toEqual([text, MARKDOWN]);
    }
  });

  it('speaks the language that is asked for', async () => {
    const arabic = await open('/llms.txt?locale=ar');
    expect(arabic.html).toContain(`[الميناء](${BASE}/portal/products/harbour.md)`);
    expect(arabic.headers.get('content-language')).toBe('ar');
    expect((await open('/llms.txt', { 'accept-language': 'ar' })).html).toBe(arabic.html);
  });

  it('begins with the words of admins, which end before the list', async () => {
    await setIntroduction('Ask **us** first.\n\n```\nan open fence');
    const { html: text } = await open('/llms.txt');
    expect(text).toContain('Ask **us** first.\n\n```\nan open fence\n```\n\n## APIs');
    await setIntroduction(null);
  });

  it('is not sent again to who has it, and never kept without asking', async () => {
    const { headers } = await open('/llms.txt');
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'private, no-cache',
      'Accept, Accept-Language, Cookie',
    ]);
    expect((await open('/llms.txt', { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    const map = await open('/portal/sitemap.xml');
    expect(map.headers.get('cache-control')).toBe('public, no-cache');
    expect((await open('/portal/sitemap.xml', { 'if-none-match': map.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('holds every product in full in llms-full.txt', async () => {
    const { html: text } = await open('/llms-full.txt');
    expect(text).toContain('## Harbour');
    // The fence that somebody left open ends with the text it is in.
    expect(text).toContain('```sh\necho open\n```\n\n### Operations');
    expect(text).toContain(`[GET /berths](${BASE}/portal/products/harbour/spec/operations/listBerths.md) List berths`);
    expect(text).not.toMatch(/hidden/i);
  });
});

describe('pages as Markdown', () => {
  it('come by .md and by Accept, and pages name them', async () => {
    const file = await open('/portal/products/harbour.md');
    const asked = await open('/portal/products/harbour', { accept: 'text/markdown' });
    expect([asked.html, asked.headers.get('content-type')]).toEqual([file.html, MARKDOWN]);
    for (const part of [
      ...['# Harbour \\[north\\]\n\n> Ships', '- Access: needs a key', '- Format: OpenAPI 3.1.0', 'Ask **early**.'],
      ...['## Operations (', '## Plans\n\n- Gold · default · 9 a month', '- Tags: sea'],
    ]) {
      expect(file.html).toContain(part);
    }
    const page = await open('/portal/products/harbour');
    expect(page.html).toContain('<link rel="alternate" type="text/markdown" href="/portal/products/harbour.md">');
    expect(page.headers.get('vary')).toContain('Accept');
    expect(page.headers.get('link')).toBe(
      `<${BASE}/portal/llms.txt>; rel="llms-txt", <${BASE}/.well-known/api-catalog>; rel="api-catalog", ` +
        `<${BASE}/portal/products/harbour.md>; rel="alternate"; type="text/markdown"`,
    );
  });

  it('have a menu that leads agents to them, and public ones to chats', async () => {
    for (const path of ['/portal/products/harbour', '/portal/products/harbour/spec/operations/listBerths']) {
      const { html } = await open(path);
      const menu = /<details class="menu agents-menu">.*?<\/details>/s.exec(html)?.[0] ?? '';
      expect(menu).toContain(`data-copy-from="${path}.md"`);
      expect(menu).toContain(`https://claude.ai/new?q&#x3D;Read%20${encodeURIComponent(BASE + path)}.md`);
      expect(menu).toContain(`data-copy="${BASE}/mcp"`);
    }
    expect((await open('/portal/products')).html).not.toContain('agents-menu');
  });

  it('list the catalog as it is searched', async () => {
    expect((await open('/portal/products.md')).html).toContain('# APIs (1)\n\n- [Harbour');
    expect((await open('/portal/products.md?tag=sea')).html).toContain('Harbour');
    expect((await open('/portal/products.md?q=nothing-like-it')).html).toBe(
      '# APIs (0)\n\nNothing is published yet.\n',
    );
  });

  it('are not there for what is not there', async () => {
    for (const path of [
      'products/hidden.md',
      'products/nothing.md',
      'login.md',
      'dashboard.md',
      'products/.md',
      '.md',
    ]) {
      expect([path, (await open(`/portal/${path}`)).status]).toEqual([path, 404]);
    }
  });
});

describe('the API catalog', () => {
  it('is a linkset with the documents and pages of what a visitor may see', async () => {
    const { status, headers, html } = await open('/.well-known/api-catalog');
    expect([status, headers.get('content-type'), headers.get('link')]).toEqual([
      200,
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      `<${BASE}/.well-known/api-catalog>; rel="api-catalog"; type="application/linkset+json"`,
    ]);
    const address = `${BASE}/portal/products/harbour`;
    expect(JSON.parse(html)).toEqual({
      linkset: [
        { anchor: `${BASE}/.well-known/api-catalog`, item: [{ href: address, title: 'Harbour [north]' }] },
        {
          anchor: address,
          'service-desc': [{ href: `${address}/spec?download=json` }],
          'service-doc': [
            { href: address, type: 'text/html' },
            { href: `${address}.md`, type: 'text/markdown' },
            { href: `${address}/spec`, type: 'text/html' },
            { href: `${address}/spec.md`, type: 'text/markdown' },
          ],
        },
      ],
    });
    const head = await test.client.send('HEAD', '/.well-known/api-catalog');
    expect([head.status, head.headers.get('link')]).toEqual([200, headers.get('link')]);
    expect((await open('/.well-known/api-catalog?part=2')).status).toBe(404);
    expect((await test.client.send('POST', '/.well-known/api-catalog')).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a large catalog', () => {
  it('loses descriptions first and products last, and says how many are missing', async () => {
    const slugs = Array.from({ length: 1_100 }, (_, index) => `api-${index}`);
    await insertProducts(test.portal.database, slugs);
    // Tells what is kept in memory that the catalog has changed.
    await createProduct(test, { slug: 'last', name: 'Last' });
    const { html: text } = await open('/llms.txt');
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text).toMatch(/\[More: 1\d{3}\]\(.*\/products\.md\)/);
    const full = (await open('/llms-full.txt')).html;
    expect(full.length).toBeLessThanOrEqual(20_000);
    expect(full).toMatch(/\[More: \d+\]/);
    const first = JSON.parse((await open('/.well-known/api-catalog')).html) as { linkset: { next?: unknown }[] };
    expect(first.linkset[0]?.next).toEqual([{ href: `${BASE}/.well-known/api-catalog?part=2` }]);
    const second = JSON.parse((await open('/.well-known/api-catalog?part=2')).html) as {
      linkset: { item?: unknown[] }[];
    };
    expect(second.linkset[0]?.item).toHaveLength(102);
    expect((await open('/portal/products.md')).html).toContain(`[Next page](${BASE}/portal/products.md?page=2)`);
  });
});

describe('a workflow', () => {
  beforeAll(() => giveWorkflows());
  const at = '/portal/products/harbour/workflows';

  it('is drawn as a guide, with links to the operations of its steps', async () => {
    const list = await open(at);
    expect(list.html).toContain(`href="${at}/land-a-ship"><strong><bdi>Land a *ship*</bdi>`);
    expect((await open('/portal/products/harbour')).html).toContain(`href="${at}/leave"`);
    const { html } = await open(`${at}/land-a-ship`);
    expect(html).toMatch(/<div class="callout callout-note" role="note">/);
    expect(html).toContain('href="/portal/products/harbour/spec/operations/listBerths"');
    expect(html).toContain(`href="${at}/leave">leave</a>`);
    // Nothing that a document says ends the block that it stands in.
    expect(html).toContain('``` &lt;/pre&gt;');
    expect(html).toMatch(/<h2 id="steps">/);
    expect((await open(`${at}/leave`)).html).toContain('spec/operations/listBerths');
    expect((await open(`${at}/nothing`)).status).toBe(404);
    expect((await open('/portal/products/hidden/workflows/leave')).status).toBe(404);
  });

  it('is there as Markdown, in the language of its reader, and as the document that was given', async () => {
    const { html: text, headers } = await open(`${at}/land-a-ship.md`);
    expect(headers.get('content-type')).toBe(MARKDOWN);
    expect(text).toContain('# Land a \\*ship\\*\n\n> Harbour \\[north\\]');
    expect(text).toContain(`[GET /berths](${BASE}/portal/products/harbour/spec/operations/listBerths.md)`);
    expect(text).toContain('- `ship` (string, required): Its \\`id\\`.\n- `draught` (number, by default `4.5`)');
    expect(text).toContain('- Puts in: `/ship` = `$inputs.ship`');
    const every = '## For every step\n\n- `free (query)`: `false`\n- After failure: `stop: end`\n\n## Steps';
    expect((await open(`${at}/leave.md`)).html).toContain(every);
    expect((await open(`${at}/land-a-ship.md?locale=ar`)).html).toContain('## الخطوات');
    expect((await open(`${at}.md`)).html).toContain(`- [leave](${BASE}${at}/leave.md)`);
    const file = await open(`${at}?download=json`);
    expect(JSON.parse(file.html)).toEqual(HARBOUR_WORKFLOWS);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="harbour.arazzo.json"');
    const known = { 'if-none-match': file.headers.get('etag') ?? '' };
    expect((await open(`${at}?download=json`, known)).status).toBe(304);
  });

  it('runs and links nothing that a hostile document says', async () => {
    const bad =
      '"\'`</code></pre><script>alert(1)</script><img src=x onerror=alert(2)> [go](javascript:alert(3)) ${7*7}';
    const step = {
      ...{ stepId: 'ask', operationId: 'listBerths', description: `${bad}\n\n::operation hidden listBerths` },
      parameters: [{ name: bad, in: bad, value: bad }],
      requestBody: { contentType: bad, payload: { [bad]: bad } },
      successCriteria: [{ context: bad, condition: bad }],
      onFailure: [{ name: bad, type: bad, criteria: [{ condition: bad }] }],
      outputs: { [bad]: bad },
    };
    const inputs = { type: 'object', properties: { [bad]: { type: bad, description: bad } } };
    const texts = { summary: bad, description: bad, inputs, outputs: { [bad]: bad } };
    await giveWorkflows({ ...HARBOUR_WORKFLOWS, workflows: [{ workflowId: 'bad', ...texts, steps: [step] }] });
    for (const path of ['/portal/products/harbour', at, `${at}/bad`]) {
      const { status, html } = await open(path);
      expect(status).toBe(200);
      expect(html).toContain('alert(1)');
      expect(html).not.toMatch(/(?:href|src|action)="\s*javascript:/i);
      // What stands in quotes, as the text that a button copies, is no markup.
      expect(html.replaceAll(/="[^"]*"/g, '')).not.toMatch(
        /<script>alert|<img src=x|<[a-z][^<>]*(?:onerror=|javascript:)/i,
      );
    }
    expect((await open(`${at}/bad`)).html).not.toContain('/products/hidden');
    await giveWorkflows();
  });

  it('says which operation a later document no longer has', async () => {
    const { products } = test.portal.services.catalog;
    const { id } = await products.findForAdmin('harbour');
    await products.setSpec(id, { ...HARBOUR, paths: { '/berths': { get: { operationId: 'other' } } } });
    const { html } = await open(`${at}/land-a-ship.md`);
    expect(html).toContain('`listBerths` (not in the document of the API now)');
    await products.setSpec(id, HARBOUR);
  });
});
