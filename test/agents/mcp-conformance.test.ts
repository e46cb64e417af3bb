import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { HARBOUR } from '../support/documents.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ON_NODE_20 = resolve('test/support/conformance-on-node-20.mjs');
const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** Those for any server; the others call tools that only a server made for the suite has. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'];

let test: TestPortal;
let folder: string;
beforeAll(async () => {
  test = await startTestPortal();
  await createProduct(test, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
  folder = await mkdtemp(join(tmpdir(), 'conformance-'));
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the conformance suite of MCP', () => {
  it.each(SCENARIOS)('is content with %s', async (scenario) => {
    const url = new URL('/mcp', test.client.url).href;
    const args = ['--import', ON_NODE_20, SUITE, 'server', '--url', url, '--scenario', scenario];
    const run = promisify(execFile)(process.execPath, args, { cwd: folder });
    const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    });
    expect(stdout).toMatch(/0 failed/);
  });
});
