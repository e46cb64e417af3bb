import type { Page } from '../../src/theme/index.js';
import { openConsole } from '../support/console.js';
import { declaredPages } from '../support/console-pages.js';
import { addressOf, fillConsole, type Places } from '../support/console-records.js';
import { dumpDatabase } from '../support/dump.js';
import { createAdmin, createRole, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let places: Places;
let pages: readonly Page[];
/** An admin who may sign in, and nothing else. */
let nobody: PageClient;
let csrf: string;

beforeAll(async () => {
  test = await startTestPortal({
    config: { apps: { approval: 'manual' }, limits: { ip: { requests: { max: 10_000 } } } },
    replicas: 1,
  });
  ({ places } = await fillConsole(test));
  nobody = await openConsole(test, []);
  csrf = await nobody.csrf('/admin/account');
  pages = declaredPages(test);
});
afterAll(() => test.stop());

/** The permissions that a page asks for, beside access to the console. */
function permissionsOf({ needs = [] }: Page): string[] {
  const routes = test.portal.routes.filter(
    ({ context, operation }) => context === 'admin' && needs.includes(operation),
  );
  const asked = routes.flatMap(({ policy, permission = '' }) => [
    permission,
    ...(policy ? [`portal.${policy[1]}.${policy[0]}`] : []),
  ]);
  return [...new Set(asked)].filter((name) => /^portal\.(?!admin\.access$)/.test(name));
}

/** The address of each page that asks for a permission. */
function guarded(method: Page['method']) {
  return pages
    .filter((page) => page.method === method && permissionsOf(page).length > 0)
    .map((page) => ({ page, address: addressOf(page, places) }))
    .filter((one): one is { page: Page; address: string } => one.address !== null);
}

/** The record of the refusals, the session that asks. Everything else must stay as it was. */
const WRITTEN_BY_ASKING = /^portal_(activit|web_sessions|refresh_tokens|sessions|jobs|devices)/;

async function recorded(): Promise<string[]> {
  return (await dumpDatabase(test.portal.database)).filter((row) => !WRITTEN_BY_ASKING.test(row));
}

/** 404: what is not there is not told apart from what may not be seen. */
const REFUSED = [403, 404];
/** Nobody changes who holds more, or gives what they do not hold, whatever the permission. */
const OF_THOSE_WITH_MORE = [
  '/admins/:id/edit',
  '/roles/:id/edit',
  '/roles/:id/matrix',
  '/service-tokens/:id/new-token',
];

describe('an admin without the permission of a page', () => {
  it('is tried on every page of the console', () => {
    const without = pages.filter((page) => permissionsOf(page).length > 0 && addressOf(page, places) === null);
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('does not open it, and finds no link to it', async () => {
    const opened: string[] = [];
    for (const { address } of guarded('get')) {
      const { status } = await nobody.get(address, { follow: false });
      if (!REFUSED.includes(status)) opened.push(`${status} ${address}`);
    }
    expect(opened).toEqual([]);
    const closed = new Set(guarded('get').map(({ address }) => address));
    const links: string[] = [];
    for (const path of ['/admin', '/admin/inbox', '/admin/account', '/admin/search', '/admin/batches']) {
      const { html } = await nobody.get(path);
      links.push(...[...html.matchAll(/href="(\/admin\/[^"?#]*)/g)].map(([, href = '']) => href));
    }
    expect(links.filter((href) => closed.has(href))).toEqual([]);
  });

  it('cannot send it either, and nothing is changed', async () => {
    const before = await recorded();
    const taken: string[] = [];
    for (const { address } of guarded('post')) {
      const { status } = await nobody.post(address, { _csrf: csrf }, { follow: false });
      if (!REFUSED.includes(status)) taken.push(`${status} ${address}`);
    }
    expect(taken).toEqual([]);
    expect(await recorded()).toEqual(before);
  });
});

describe('an admin with exactly the permissions of a page', () => {
  it('opens it, and may send it', async () => {
    const all = [...guarded('get'), ...guarded('post')];
    const sets = new Set(all.map(({ page }) => permissionsOf(page).sort().join(' ')));
    const { id, email } = await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access'])] });
    const exactly = new PageClient(test.client);
    await exactly.submit('/admin/login', { email, password: PASSWORD });
    const token = await exactly.csrf('/admin/account');
    const refused: string[] = [];
    for (const permissions of sets) {
      const role = await createRole(test, ['portal.admin.access', ...permissions.split(' ')]);
      await test.portal.services.rbac.assignRoles({ adminId: id, roles: [role], by: 'operator' });
      for (const { page, address } of all.filter((one) => permissionsOf(one.page).sort().join(' ') === permissions)) {
        const answer =
          page.method === 'get'
            ? await exactly.get(address, { follow: false })
            : await exactly.post(address, { _csrf: token }, { follow: false });
        // Some ask for the password once more.
        const isRefused =
          answer.status === 403 &&
          !OF_THOSE_WITH_MORE.includes(page.path) &&
          !answer.html.includes('_current_password');
        if (isRefused || answer.status >= 500)
          refused.push(`${answer.status} ${page.method} ${address} (${permissions})`);
      }
    }
    expect(refused).toEqual([]);
  });
});
