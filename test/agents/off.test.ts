import { createProduct } from '../support/factories.js';
import { HARBOUR, HARBOUR_WORKFLOWS } from '../support/documents.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { agents: { enabled: false } } });
  const harbour = await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
  const workflows = Buffer.from(JSON.stringify(HARBOUR_WORKFLOWS));
  await test.portal.services.catalog.products.setWorkflows(harbour, workflows);
});
afterAll(() => test.stop());

const open = (path: string, headers: Record<string, string> = {}) => new PageClient(test.client).get(path, { headers });

describe('a portal that serves agents nothing (agents.enabled)', () => {
  it.each([
    ...['/mcp', '/llms.txt', '/llms-full.txt', '/.well-known/api-catalog', '/portal/llms.txt', '/portal/llms-full.txt'],
    ...['/portal/.well-known/api-catalog', '/portal/index.md', '/portal/products.md', '/portal/products/harbour.md'],
    ...['/portal/products/harbour/spec.md', '/portal/products/harbour/spec/operations/listBerths.md'],
    ...['/portal/products/harbour/changes.md', '/portal/products/harbour/changes/1.md'],
    ...['/portal/products/harbour/workflows.md', '/portal/products/harbour/workflows/leave.md'],
  ])('has no %s', async (path) => {
    expect((await open(path, { accept: '*/*' })).status).toBe(404);
  });

  it.each([
    '/portal',
    '/portal/products',
    '/portal/products/harbour',
    '/portal/products/harbour/spec/operations/listBerths',
    '/portal/products/harbour/workflows',
    '/portal/products/harbour/workflows/leave',
  ])('answers %s as a page and names no Markdown', async (path) => {
    const { headers, html } = await open(path, { accept: 'text/markdown' });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('link')).toBeNull();
    expect(html).not.toMatch(/text\/markdown|\.md"|agents-menu/);
  });
});
