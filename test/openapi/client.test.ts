import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { buildClient, buildDocument, loadFrom, type TypeGenerator } from '../../src/openapi/index.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

// The compiler reads some thousand lines of types.

/** What the test knows of the client, which it builds. */
interface Client {
  listApps(input?: object): Promise<{ data: { name: string }[]; meta: { pagination: { total: number } } }>;
  createApp(input: object): Promise<{ data: { credentials: { consumer_secret: string }[] } }>;
  getApp(input: object): Promise<unknown>;
  getApiProductSpec(input: object): Promise<Response>;
}
interface ClientModule {
  PortalClient: new (options: object) => Client;
  ApiError: new (...args: never[]) => Error;
}

const EXAMPLE = join(process.cwd(), 'examples', 'typed-client', 'create-app.ts');
const WRONG = `
import { PortalClient } from './client.js';
const client = new PortalClient({ baseUrl: '' });
void client.listApps({ query: { order_by: 'password_hash' } });
void client.getApp();
void client.createCredential({ path: { appName: 'x' }, body: {} });
`;

let test: TestPortal;
let folder: string;
let text: string;
beforeAll(async () => {
  test = await startTestPortal();
  folder = await mkdtemp(join(tmpdir(), 'portal-client-'));
  const generator = (await loadFrom(folder, 'openapi-typescript')) as TypeGenerator;
  text = await buildClient(buildDocument(test.portal.routes, test.portal.config), generator);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'client.ts'), text);
  await writeFile(join(folder, 'create-app.ts'), await readFile(EXAMPLE));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await test.stop();
});

const compiler = join(process.cwd(), 'node_modules', 'typescript7', 'bin', 'tsc');
const compile = (file: string, ...options: readonly string[]) =>
  execa(
    process.execPath,
    [compiler, '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', ...options, file].concat(
      ...['--target', 'ES2022', '--module', 'NodeNext', '--lib', 'ES2022,DOM,DOM.Iterable', '--types', ''],
    ),
    { cwd: folder, reject: false },
  );

describe('the typed client', () => {
  it('has a method for every operation, and the same text whenever it is built', async () => {
    for (const { operation } of test.portal.routes) expect(text).toContain(`\n  ${operation}(...[input]`);
    const generator = (await loadFrom(folder, 'openapi-typescript')) as TypeGenerator;
    expect(await buildClient(buildDocument(test.portal.routes, test.portal.config), generator)).toBe(text);
  });

  it('compiles in strict mode with the example, and refuses what the document does not allow', async () => {
    expect((await compile('create-app.ts')).stdout).toBe('');
    await writeFile(join(folder, 'wrong.ts'), WRONG);
    const { stdout } = await compile('wrong.ts', '--noEmit');
    expect(stdout.match(/^wrong\.ts\(\d+/gm)).toEqual(['wrong.ts(4', 'wrong.ts(5', 'wrong.ts(6']);
  });

  it('talks to a live portal: the example signs in, creates an app and lists it', async () => {
    const { email } = await createUser(test);
    await createProduct(
      test,
      { slug: 'payments' },
      { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} },
    );
    const { createFirstApp } = (await import(pathToFileURL(join(folder, 'create-app.js')).href)) as {
      createFirstApp: (
        baseUrl: string,
        account: object,
      ) => Promise<{ names: string[]; secret: string; client: Client }>;
    };
    const baseUrl = `${test.client.url}/api/v1`;
    const { names, secret, client } = await createFirstApp(baseUrl, { email, password: PASSWORD });
    expect([names, secret]).toEqual([['checkout'], expect.stringMatching(/^\S{20,}$/)]);

    const { ApiError } = (await import(pathToFileURL(join(folder, 'client.js')).href)) as ClientModule;
    const refusal = await client.getApp({ path: { appName: 'no such/app' } }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ status: 404, message: 'Resource not found.', requestId: expect.any(String) });
    const query = { filters: { name: { like: 'nothing' } }, with: ['products', 'credentials'], per_page: 5 };
    expect((await client.listApps({ query })).meta.pagination.total).toBe(0);
    const document = await client.getApiProductSpec({ path: { id: 'payments' } });
    expect(await document.json()).toMatchObject({ openapi: '3.1.0' });
    test.client.assertDocumented();
  });
});
