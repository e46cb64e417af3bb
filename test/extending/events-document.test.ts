import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { AuthEvent, PortalEvent } from '../../src/index.js';
import * as portalkit from '../../src/index.js';
import type { Logger } from '../../src/core/index.js';
import { createDeveloper, signIn, startTestPortal, TEST_PASSWORD, type TestPortal } from '../../src/testing/index.js';
import { folderWith } from '../config/support.js';
import { stepsOf, writeStep } from '../support/document.js';
import { HostProject } from '../support/host-project.js';

const DOCUMENT = 'docs/events.md';

describe(DOCUMENT, () => {
  let cwd: string;
  let test: TestPortal;
  const logged: string[] = [];
  const note = (_about: unknown, message?: string) => void logged.push(message ?? '');
  const logger = { debug: note, info: note, warn: note, error: note, fatal: note } as unknown as Logger;

  beforeAll(async () => {
    cwd = await folderWith({ 'package.json': '{"type":"module"}' });
    await cp('stubs/project/tsconfig.json', join(cwd, 'tsconfig.json'));
    for (const step of await stepsOf(DOCUMENT)) await writeStep(cwd, step);
    test = await startTestPortal({ cwd, logger });
  });
  afterAll(() => test.stop());

  const register = (email: string) =>
    test.api('post', '/auth/register', {
      body: {
        ...{ first_name: 'Ada', last_name: 'Lovelace', email },
        ...{ password: TEST_PASSWORD, password_confirmation: TEST_PASSWORD },
      },
    });

  it('is checked by TypeScript', async () => {
    await (await HostProject.link(cwd)).typecheck();
  });

  it('refuses within, and nothing is left; tells after', async () => {
    const refused = await register('ada@elsewhere.example');
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { email: ['Please sign up with your address at Acme.'] },
    ]);
    expect(await test.portal.database.select('SELECT id FROM portal_users')).toEqual([]);
    expect(logged).not.toContain('somebody signed up');
    expect((await register('ada@acme.example')).status).toBe(201);
    expect(logged).toContain('somebody signed up');
  });

  it('is not stopped by a handler of `on` that throws', async () => {
    const developer = await createDeveloper(test, { email: 'bob@acme.example' });
    await signIn(test, developer);
    expect(logged).toContain('an event listener failed');
  });

  it('writes with the change what belongs to it, and announces an event of its own', async () => {
    const token = await signIn(test, await createDeveloper(test, { email: 'eve@acme.example' }));
    expect((await test.api('post', '/me/apps', { token, body: { name: 'checkout' } })).status).toBe(201);
    expect(await test.portal.database.select('SELECT app FROM acme_ledger')).toEqual([{ app: 'checkout' }]);
    const sql = "SELECT action FROM portal_activities WHERE action = 'acme_ledger.written'";
    expect(await test.portal.database.select(sql)).toHaveLength(1);
  });

  it('lists every event that can be listened to', async () => {
    const text = await readFile(DOCUMENT, 'utf8');
    const exported = Object.entries(portalkit).filter(
      ([, value]) => typeof value === 'function' && value.prototype instanceof PortalEvent && value !== AuthEvent,
    );
    expect(exported.length).toBeGreaterThan(50);
    expect(exported.map(([name]) => name).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
