import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideBlock, guideBlocks, typeIn } from '../support/guide.js';
import { TestClient } from '../support/http-client.js';
import { createProject, type Project } from '../support/project.js';
import type { ServingPortal } from '../support/portal-process.js';
import { dialectUnderTest } from '../support/test-database.js';

const PAGE = 'docs/first-api.md';
const REQUESTS = ['sign-in', 'category', 'product', 'spec', 'publish', 'see'];
/** Made once for all blocks, which this test runs in two shells. */
const PASSWORD_LINE = /^PASSWORD=.*$/m;

let project: Project;
let serving: ServingPortal;
let client: TestClient;
const password = randomBytes(15).toString('base64url');
beforeAll(async () => {
  project = await createProject(dialectUnderTest(), {}, { migrate: false });
  await follow(['admin', 'document', 'import']);
  serving = await project.serve();
  client = TestClient.to(serving.url);
});
afterAll(async () => {
  await serving?.stop();
  await project.remove();
});

/** Blocks of the page as they stand there, but for the address that the portal of the test has. */
function follow(names: readonly string[]): Promise<string> {
  const commands = names.map((name) => guideBlock(PAGE, name)).join('\n');
  const ours = commands.replace(/^PORTAL=.*$/m, () => `PORTAL=${serving.url}`).replace(PASSWORD_LINE, '');
  return typeIn(project.cwd, { ...project.env, PASSWORD: password }, ours);
}

describe('docs/first-api.md', () => {
  it('has no block that is not followed here', () => {
    expect(guideBlocks(PAGE)).toEqual(['admin', 'document', 'import', ...REQUESTS]);
  });

  it('leads to a visible product in one command', async () => {
    const { json } = await client.get('/api/v1/api-products/opening-hours');
    expect(json.data).toMatchObject({
      name: 'Opening Hours',
      short_description: 'When our branches are open.',
      description: 'Opening hours of every branch, **holidays included**.',
    });
    const page = await client.get('/portal/products/opening-hours');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<strong>holidays included</strong>')]);
  });

  it('leads to one request by request', async () => {
    const said = await follow(REQUESTS);
    expect(said).toContain('"visibility":"draft"');
    expect(said).toContain('"visibility":"public"');
    const { json } = await client.get('/api/v1/api-products/branch-hours');
    expect(json.data).toMatchObject({ name: 'Branch hours', categories: [{ slug: 'branches' }] });
    expect(readFileSync(join(project.cwd, 'page.html'), 'utf8')).toContain('Branch hours');
  });
});
