import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { HARBOUR, HARBOUR_WORKFLOWS } from '../support/documents.js';
import { PageClient } from '../support/page-client.js';
import { signIn } from '../support/sign-in.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Everybody who may look at a catalog, with the private products that they may see beside the public one. */
const VIEWERS = {
  visitor: [],
  developer: [],
  'a developer with an unconfirmed address': [],
  // The apps of a team use what its audiences open; its members see none of it for that.
  'a member of a team that is in A': [],
  'a member of A': ['for-a', 'for-both'],
  'a member of B': ['for-b', 'for-both'],
  'an admin': [],
} as const;
type Name = keyof typeof VIEWERS;
const PRODUCTS = ['for-a', 'for-b', 'for-both', 'for-nobody', 'for-all', 'draft', 'no-agents'];

interface Viewer {
  readonly browser: PageClient;
  /** Token of the consumer API; null for who has none there. */
  readonly token: string | null;
}

let test: TestPortal;
const viewers = new Map<Name, Viewer>();
beforeAll(async () => {
  test = await startTestPortal({ config: { agents: { mcpCalls: 10_000 } } });
  const { content, catalog, search } = test.portal.services;
  const { audiences, products, changelog } = catalog;
  await audiences.create({ name: 'a' });
  await audiences.create({ name: 'b' });
  const audiencesOf: Record<string, string[]> = { 'for-a': ['a'], 'for-b': ['b'], 'for-both': ['a', 'b'] };
  for (const slug of PRODUCTS) {
    const isPublic = slug === 'for-all' || slug === 'no-agents';
    const visibility = isPublic ? 'public' : slug === 'draft' ? 'draft' : 'private';
    const product = await createProduct(test, { slug, name: `API ${slug}`, visibility }, HARBOUR);
    await products.setWorkflows(product, Buffer.from(JSON.stringify(HARBOUR_WORKFLOWS)));
    if (audiencesOf[slug]) await products.update(product.id, { audiences: audiencesOf[slug] });
    const entry = { kind: 'feature', version: null, name: `Change of ${slug}` } as const;
    await changelog.publish(await changelog.create(product, entry));
    if (slug === 'no-agents') await products.update(product.id, { isForAgents: false });
    const guide = {
      slug: 'start',
      name: `Begin with ${slug}`,
      visibility: 'public',
      description: `Of ${slug}.`,
    } as const;
    await content.guides.create({ kind: 'guide', productId: product.id }, guide);
    await content.banners.create(product.id, { level: 'incident', name: `Trouble of ${slug}` });
    // Of the portal, for the same readers.
    const seen = { visibility, ...(visibility === 'private' && { audiences: audiencesOf[slug] ?? [] }) } as const;
    if (slug === 'no-agents') continue;
    for (const kind of ['guide', 'news'] as const) {
      const own = { ...guide, ...seen, slug: `${kind}-${slug}`, name: `${kind} for ${slug}` };
      await content.guides.create({ kind, productId: null }, own);
    }
  }
  await search.index.run();
  for (const name of Object.keys(VIEWERS) as Name[]) viewers.set(name, await enter(name));
});
afterAll(() => test.stop());

async function enter(name: Name): Promise<Viewer> {
  const browser = new PageClient(test.client);
  if (name === 'visitor') return { browser, token: null };
  if (name === 'an admin') {
    const admin = await createAdmin(test);
    await browser.submit('/portal-admin/login', { email: admin.email, password: PASSWORD }).catch(() => undefined);
    return { browser, token: null };
  }
  const isUnproved = name === 'a developer with an unconfirmed address';
  const user = await createUser(test, { emailVerifiedAt: isUnproved ? null : test.clock.now() });
  const { audiences } = test.portal.services.catalog;
  if (name === 'a member of a team that is in A') {
    const owner = await createUser(test);
    const { accountId } = await createTeam(test, owner, [[user, 'developer']]);
    await audiences.addMembers('a', [accountId]);
  } else if (name === 'a member of A') await audiences.addMembers('a', [user.id]);
  else if (name === 'a member of B') await audiences.addMembers('b', [user.id]);
  await browser.submit('/portal/login', { email: user.email, password: PASSWORD });
  return { browser, token: await signIn(test, user) };
}

const named = (text: string) => PRODUCTS.filter((slug) => new RegExp(`\\b${slug}\\b`).test(text));
/** Places for people alone, where a product that is switched off for agents is, too. */
const FOR_PEOPLE = new Set([
  ...['the catalog', 'product pages', 'REST', 'feeds', 'guides as pages', 'the search', 'the palette'],
  ...['banners on pages', 'banners in REST', 'workflows as pages', 'workflows in REST', 'workflows as files'],
  'workflows in the search',
]);
const get = async ({ browser }: Viewer, path: string) => (await browser.get(path, { headers: { accept: '*/*' } })).html;
/** What a text says of banners of products. */
const troubles = (text: string) => named((text.match(/Trouble of [\w-]+/g) ?? []).join(' '));
/** Those whose own address answers. */
async function each({ browser }: Viewer, pathOf: (slug: string) => string): Promise<string[]> {
  const found = [];
  for (const slug of PRODUCTS) {
    if ((await browser.get(pathOf(slug), { headers: { accept: '*/*' } })).status === 200) found.push(slug);
  }
  return found;
}

const PLACES: Record<string, (viewer: Viewer) => Promise<string[]>> = {
  'the catalog': async (viewer) => named(await get(viewer, '/portal/products')),
  'product pages': (viewer) => each(viewer, (slug) => `/portal/products/${slug}`),
  REST: async ({ token }) => {
    const { json } = await test.client.send('GET', '/api/v1/api-products', token === null ? {} : { token });
    return named(JSON.stringify(json.data));
  },
  'llms.txt': async (viewer) => named(await get(viewer, '/llms.txt')),
  'llms.txt below the prefix': async (viewer) => named(await get(viewer, '/portal/llms.txt')),
  'llms-full.txt': async (viewer) => named(await get(viewer, '/llms-full.txt')),
  'the catalog as Markdown': async (viewer) => named(await get(viewer, '/portal/products.md')),
  'products as Markdown': (viewer) => each(viewer, (slug) => `/portal/products/${slug}.md`),
  'operations as Markdown': (viewer) =>
    each(viewer, (slug) => `/portal/products/${slug}/spec/operations/listBerths.md`),
  'schemas as Markdown': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/spec/schemas/Berth.md`),
  'workflows as pages': async (viewer) => {
    const found = await each(viewer, (slug) => `/portal/products/${slug}/workflows`);
    expect(await each(viewer, (slug) => `/portal/products/${slug}/workflows/leave`)).toEqual(found);
    return found;
  },
  'workflows as files': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/workflows?download=json`),
  'workflows in REST': async ({ token }) => {
    const found = [];
    for (const slug of PRODUCTS) {
      const path = `/api/v1/api-products/${slug}/workflows`;
      if ((await test.client.send('GET', path, token === null ? {} : { token })).status === 200) found.push(slug);
    }
    return found;
  },
  'workflows in the search': async ({ token }) => {
    const path = '/api/v1/search?type=workflow&q=land';
    const { json } = await test.client.send('GET', path, token === null ? {} : { token });
    return named(JSON.stringify(json.data));
  },
  'workflows as Markdown': async (viewer) => {
    const found = await each(viewer, (slug) => `/portal/products/${slug}/workflows.md`);
    expect(await each(viewer, (slug) => `/portal/products/${slug}/workflows/leave.md`)).toEqual(found);
    return found;
  },
  'workflows in lists of agents': async (viewer) => {
    const lists = ['/llms.txt', '/portal/products.md', '/.well-known/api-catalog'];
    const texts = await Promise.all(lists.map((path) => get(viewer, path)));
    const [found = [], ...others] = texts.map((text) =>
      PRODUCTS.filter((slug) => text.includes(`/products/${slug}/workflows.md`)),
    );
    for (const other of others) expect(other).toEqual(found);
    const full = await get(viewer, '/llms-full.txt');
    expect(PRODUCTS.filter((slug) => full.includes(`/products/${slug}/workflows.md`))).toEqual(found);
    return found;
  },
  'guides as pages': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/guides/start`),
  'guides as Markdown': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/guides/start.md`),
  'guides of products in lists of agents': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/guides.md`),
  'guides of the portal as Markdown': (viewer) => each(viewer, (slug) => `/portal/guides/guide-${slug}.md`),
  'news as Markdown': (viewer) => each(viewer, (slug) => `/portal/news/news-${slug}.md`),
  'guides and news of the portal in REST': async ({ token }) => {
    const { json } = await test.client.send('GET', '/api/v1/guides', token === null ? {} : { token });
    const names = (json.data as { name: string; product: unknown }[]).filter(({ product }) => product === null);
    return named(JSON.stringify(names));
  },
  'the search': async ({ token }) => {
    const { json } = await test.client.send('GET', '/api/v1/search?q=begin', token === null ? {} : { token });
    return named(JSON.stringify(json.data));
  },
  // As the script of the palette asks while somebody types.
  'the palette': async ({ browser }) => {
    const headers = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    const { html } = await browser.get('/portal/search?q=begin', { headers });
    return named(/<ul class="plain-list hits">.*?<\/ul>/s.exec(html)?.[0] ?? '');
  },
  'banners on pages': async (viewer) => {
    const pages = PRODUCTS.map((slug) => get(viewer, `/portal/products/${slug}`));
    return troubles((await Promise.all([...pages, get(viewer, '/portal/products')])).join(' '));
  },
  'banners in REST': async ({ token }) => {
    const texts = PRODUCTS.map(async (slug) => {
      const path = `/api/v1/api-products/${slug}/banners`;
      return (await test.client.send('GET', path, token === null ? {} : { token })).text;
    });
    return troubles((await Promise.all(texts)).join(' '));
  },
  'banners in llms.txt': async (viewer) => troubles(await get(viewer, '/llms.txt')),
  'banners in llms-full.txt': async (viewer) => troubles(await get(viewer, '/llms-full.txt')),
  'banners in the Markdown of products': async (viewer) => {
    const texts = PRODUCTS.map((slug) => get(viewer, `/portal/products/${slug}.md`));
    return troubles((await Promise.all(texts)).join(' '));
  },
  'guides in the API catalog': async (viewer) => {
    const text = await get(viewer, '/.well-known/api-catalog');
    const found = PRODUCTS.filter((slug) => text.includes(`/products/${slug}/guides/start.md`));
    const own = PRODUCTS.filter((slug) => text.includes(`/portal/guides/guide-${slug}.md`));
    expect(own).toEqual(found);
    return found;
  },
  feeds: (viewer) => each(viewer, (slug) => `/portal/products/${slug}/changes.atom`),
  'changes as Markdown': (viewer) => each(viewer, (slug) => `/portal/products/${slug}/changes.md`),
  'the API catalog': async (viewer) => named(await get(viewer, '/.well-known/api-catalog')),
  'tools of MCP': async ({ token }) => {
    const client = await connect(token);
    const lists = [JSON.stringify(await client.callTool({ name: 'search_apis', arguments: {} }))];
    const found = [];
    for (const slug of PRODUCTS) {
      const calls = [
        ['get_api', {}],
        ['list_operations', {}],
        ['get_operation', { operation: 'listBerths' }],
        ['get_schema', { schema: 'Berth' }],
        ['list_changes', {}],
        ['get_guide', {}],
        ['get_workflow', {}],
        ['get_workflow', { workflow: 'land-a-ship' }],
      ] as const;
      const answers = [];
      for (const [name, more] of calls) {
        answers.push((await client.callTool({ name, arguments: { api: slug, ...more } })).isError !== true);
      }
      answers.push(
        (await client.callTool({ name: 'get_guide', arguments: { guide: `${slug}/start` } })).isError !== true,
      );
      expect([slug, new Set(answers).size]).toEqual([slug, 1]);
      if (answers[0]) found.push(slug);
    }
    const search = async (name: string) =>
      JSON.stringify(await client.callTool({ name, arguments: { query: 'begin' } }));
    expect(named(await search('search'))).toEqual(found);
    await client.close();
    expect(named(lists.join(' '))).toEqual(found);
    return found;
  },
  'resources of MCP': async ({ token }) => {
    const client = await connect(token);
    const found = named(JSON.stringify(await client.listResources()));
    const start = `${test.portal.services.site.about.baseUrl()}/portal`;
    const paths = (slug: string) => [
      ...[`/products/${slug}.md`, `/products/${slug}/guides/start.md`],
      `/products/${slug}/workflows/leave.md`,
      ...(slug === 'no-agents' ? [] : [`/guides/guide-${slug}.md`, `/news/news-${slug}.md`]),
    ];
    for (const slug of PRODUCTS) {
      for (const path of paths(slug)) {
        const reading = client.readResource({ uri: `${start}${path}` }).then(
          () => true,
          () => false,
        );
        expect([path, await reading]).toEqual([path, found.includes(slug)]);
      }
    }
    await client.close();
    return found;
  },
};

async function connect(token: string | null): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', test.client.url), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}

describe.each(Object.keys(PLACES))('%s (S57)', (place) => {
  it.each(Object.keys(VIEWERS) as Name[])('shows %s exactly what they may see', async (name) => {
    const viewer = viewers.get(name) as Viewer;
    const seen = await PLACES[place]?.(viewer);
    const open = FOR_PEOPLE.has(place) ? ['for-all', 'no-agents'] : ['for-all'];
    expect(seen?.sort()).toEqual([...open, ...VIEWERS[name]].sort());
  });
});

describe('what is for search engines', () => {
  it.each(Object.keys(VIEWERS) as Name[])('names what a visitor sees, also to %s', async (name) => {
    const map = await get(viewers.get(name) as Viewer, '/portal/sitemap.xml');
    expect(named(map)).toEqual(['for-all', 'no-agents']);
    const withWorkflows = PRODUCTS.filter((slug) => map.includes(`/products/${slug}/workflows<`));
    expect(withWorkflows.sort()).toEqual(['for-all', 'no-agents']);
  });

  it('loses a product at once that turns private, however it is asked for again', async () => {
    const visitor = viewers.get('visitor') as Viewer;
    const { products } = test.portal.services.catalog;
    const { id } = await products.find('for-all', { kind: 'admin' }, 'en');
    const paths = [
      '/portal/sitemap.xml',
      '/llms.txt',
      '/llms-full.txt',
      '/.well-known/api-catalog',
      '/portal/products.md',
    ];
    const tags = new Map<string, string>();
    for (const path of paths) tags.set(path, (await visitor.browser.get(path)).headers.get('etag') ?? '');
    await products.update(id, { visibility: 'private' });
    for (const path of paths) {
      const { status, html } = await visitor.browser.get(path, { headers: { 'if-none-match': tags.get(path) ?? '' } });
      // Its guides went with it; those of the portal are their own.
      expect([path, status, html.includes('/products/for-all')]).toEqual([path, 200, false]);
    }
  });
});
