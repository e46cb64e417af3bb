import { createProduct } from '../support/factories.js';
import { PNG } from '../support/forms.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../support/test-portal.js';

let test: TestPortal;
afterEach(() => test.stop());

async function start(config: TestPortalOptions['config']): Promise<TestPortal> {
  test = await startTestPortal({ config: { app: { url: 'http://127.0.0.1' }, ...config } });
  return test;
}

const statusesOf = async (paths: readonly string[]) =>
  Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, (await test.client.get(path)).status] as const)),
  );

describe('paths that are written with slashes or without', () => {
  it('are served, and everything links to them', async () => {
    await start({
      portalApi: { prefix: 'rest/v2/', adminPrefix: '/office/' },
      theme: { routePrefix: '/developers/' },
      docs: { path: 'reference/' },
      verify: { path: 'check/' },
    });
    expect(
      await statusesOf([
        '/rest/v2/health',
        '/rest/v2/office/me',
        '/developers',
        '/reference',
        '/check',
        '/api/v1/health',
      ]),
    ).toEqual({
      '/rest/v2/health': 200,
      '/rest/v2/office/me': 401,
      '/developers': 200,
      '/reference': 200,
      '/check': 401,
      '/api/v1/health': 404,
    });
    const { json } = await test.client.get('/rest/v2/config');
    expect(json.data.links).toEqual({ theme: '/developers', docs: '/reference' });
    expect((await test.client.get('/')).headers.get('location')).toBe('/developers');
    expect((await test.client.get('/reference/openapi.json')).text).toContain('"/rest/v2"');
  });
});

describe('a portal whose API is off', () => {
  const OFF = { portalApi: { enabled: false } };

  it('answers 404 wherever the API was, to every method, as to what never was', async () => {
    await start(OFF);
    const nowhere = await test.client.get('/api/v1/nowhere');
    expect([nowhere.status, nowhere.json.message]).toEqual([404, 'Route not found.']);
    for (const [method, path] of [
      ['GET', '/api/v1/api-products'],
      ['GET', '/api/v1/config'],
      ['POST', '/api/v1/auth/login'],
      ['GET', '/api/v1/admin/me'],
      ['OPTIONS', '/api/v1/me'],
      ['DELETE', '/api/v1/me'],
    ] as const) {
      const answer = await test.client.send(method, path);
      expect([path, answer.status, answer.json]).toEqual([path, 404, nowhere.json]);
    }
  });

  it('goes on with pages and their pictures, checks of keys, and probes', async () => {
    await start(OFF);
    const { id } = await createProduct(test, { slug: 'weather', name: 'Weather' });
    await test.portal.services.catalog.products.setThumbnail(id, PNG);
    const page = await test.client.get('/portal/products');
    const [picture = ''] = /\/api\/v1\/files\/\w+\.png/.exec(page.text) ?? [];
    expect(
      await statusesOf(['/api/v1/health', '/api/v1/health/live', '/api/v1/health/ready', '/gateway/verify', picture]),
    ).toEqual({
      '/api/v1/health': 200,
      '/api/v1/health/live': 200,
      '/api/v1/health/ready': 200,
      '/gateway/verify': 401,
      [picture]: 200,
    });
    expect(page.text).toContain('Weather');
  });

  it('has no reference of it, and no link to one', async () => {
    await start({ ...OFF, docs: { enabled: true } });
    expect(await statusesOf(['/docs', '/docs/openapi.json', '/docs/postman.json'])).toEqual({
      '/docs': 404,
      '/docs/openapi.json': 404,
      '/docs/postman.json': 404,
    });
    expect((await test.client.get('/portal')).text).not.toContain('href="/docs"');
  });

  it('leads from the root to the pages, and without them nowhere', async () => {
    await start(OFF);
    expect((await test.client.get('/')).headers.get('location')).toBe('/portal');
    await test.stop();
    await start({ ...OFF, theme: { enabled: false } });
    expect((await test.client.get('/')).status).toBe(404);
  });
});
