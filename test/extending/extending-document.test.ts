import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeveloper, signIn, startTestPortal, TEST_PASSWORD, type TestPortal } from '../../src/testing/index.js';
import { folderWith } from '../config/support.js';
import { stepsOf, writeStep } from '../support/document.js';
import { HostProject } from '../support/host-project.js';
import { TestClient } from '../support/http-client.js';
import { PageClient } from '../support/page-client.js';
import { portal } from '../support/portal-command.js';

const DOCUMENT = 'docs/extending.md';
const ENV = { HOME: process.env['HOME'] ?? '/' };

describe(DOCUMENT, () => {
  let cwd: string;
  let project: HostProject;
  let test: TestPortal;
  let mails: string;
  let client: TestClient;

  beforeAll(async () => {
    const parent = await folderWith({ 'mail/.keep': '' });
    mails = join(parent, 'mail');
    cwd = join(parent, 'acme');
    await run(['init', 'acme', '--no-install', '--link', '--yes'], parent);
    for (const step of await stepsOf(DOCUMENT)) {
      if (step.language === 'text') continue;
      if (step.language !== 'sh') await writeStep(cwd, step);
      else for (const line of step.text.trim().split('\n')) await run(line.split(' ').slice(2), cwd);
    }
    project = await HostProject.link(cwd);
    test = await startTestPortal({ cwd, settings: { 'gateway.driver': 'kong', 'mail.directory': mails } });
    client = await TestClient.start(test.portal.handler);
  });
  afterAll(async () => {
    await client.close();
    await test.stop();
  });

  async function run(args: readonly string[], folder: string): Promise<void> {
    const { exitCode, stderr } = await portal(args, { cwd: folder, env: ENV });
    if (exitCode !== 0) throw new Error(`portal ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  }

  const read = new Set(['.keep']);
  /** The code in the mail that has not been read yet. The portal sends by itself, maybe at this very moment. */
  async function code(): Promise<string> {
    for (;;) {
      await test.portal.jobs.run('mail');
      const file = (await readdir(mails)).find((name) => !read.has(name));
      const found = file && /Your code is (\d{6})/.exec(await readFile(join(mails, file), 'utf8'))?.[1];
      if (file && found) {
        read.add(file);
        return found;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('is checked by TypeScript', async () => {
    await project.typecheck();
  });

  it('gives a host whose tests pass, those of the stubs and of init among them', async () => {
    expect(await project.test()).toMatch(/[#ℹ] fail 0/);
  });

  it('signs in through the API with the code from the mail', async () => {
    const { email } = await createDeveloper(test, { email: 'ada@acme.example' });
    const asked = await test.api('post', '/auth/login', { body: { email, password: TEST_PASSWORD } });
    expect(asked.status).toBe(202);
    const body = { challenge_token: asked.body.data.challenge_token, code: await code() };
    const { data } = (await test.api('post', '/auth/code', { body })).body;
    expect((await test.api('get', '/me', { token: data.access_token })).body.data.email).toBe(email);
    expect((await test.api('post', '/auth/code', { body })).status).toBe(422);
  });

  it('signs in through the pages with it, and leads on to where one wanted to go', async () => {
    const page = new PageClient(client);
    const typed = { email: 'ada@acme.example', password: TEST_PASSWORD };
    const asked = await page.submit('/portal/login?return_to=/portal/apps', typed, { action: '/portal/login' });
    expect(asked.path).toBe('/portal/login/code?return_to=%2Fportal%2Fapps');
    const wrong = await page.submit(asked.path, { code: '000' }, { action: '/portal/login/code' });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('Invalid verification code.')]);
    const right = await page.submit(asked.path, { code: await code() }, { action: '/portal/login/code' });
    expect([right.status, right.path]).toEqual([200, '/portal/apps']);
  });

  it('asks who signs up for the code too', async () => {
    const names = { first_name: 'Eve', last_name: 'Acme', email: 'eve@acme.example' };
    const passwords = { password: TEST_PASSWORD, password_confirmation: TEST_PASSWORD };
    const { status, body } = await test.api('post', '/auth/register', { body: { ...names, ...passwords } });
    expect([status, Object.keys(body.data)]).toEqual([202, ['challenge_token', 'expires_in']]);
  });

  it('serves the controller and the module, on the gateway of its own', async () => {
    const token = await signIn(test, await createDeveloper(test));
    expect((await test.api('get', '/partner-catalog')).status).toBe(200);
    expect((await test.api('post', '/me/field-notes', { token, body: { body: 'one' } })).status).toBe(200);
    expect((await test.api('get', '/me/apps', { token })).status).toBe(200);
    expect(test.portal.config.gateway.driver).toBe('kong');
    expect(test.portal.modules.map(({ name }) => name)).toEqual(['fieldNotes']);
  });

  it('names what a module may bring, all of it', async () => {
    const text = await readFile(DOCUMENT, 'utf8');
    const source = await readFile('src/composition/module.ts', 'utf8');
    const bodies = [...source.matchAll(/export interface (?:ModuleContribution|PortalModule)[^{]*\{(.*?)\n\}/gs)];
    const fields = bodies.flatMap(([, body = '']) => [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)]);
    expect(fields.length).toBeGreaterThan(15);
    expect(fields.map(([, name]) => name).filter((name) => !new RegExp(`\`${name}[\`(]`).test(text))).toEqual([]);
  });
});
