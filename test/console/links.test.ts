import { openConsole } from '../support/console.js';
import { fillConsole } from '../support/console-records.js';
import { createUser } from '../support/factories.js';
import { decoded, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let author: PageClient;
/** Another admin, whose lists open with a view of their own. */
let colleague: PageClient;

beforeAll(async () => {
  test = await startTestPortal({
    config: { apps: { approval: 'manual' }, limits: { ip: { requests: { max: 10_000 } } } },
    replicas: 1,
  });
  ({ admin: author } = await fillConsole(test));
  for (const status of ['active', 'pending', 'inactive'] as const) await createUser(test, { status });
  colleague = await openConsole(test);
});
afterAll(() => test.stop());

interface Control {
  readonly name: string;
  /** Of its choices three, or something that can be typed. */
  readonly values: readonly string[];
}

/** What can be chosen above a list. */
function controlsOf(html: string): Control[] {
  const body = html.slice(
    html.indexOf('console-filter-body'),
    html.indexOf('</details>', html.indexOf('console-filter-body')),
  );
  const choices = [...body.matchAll(/<select[^>]* id="filter-[^>]* name="([^"]+)">(.*?)<\/select>/gs)];
  const fields = [...body.matchAll(/<input[^>]* name="([^"]+)"[^>]* type="(date|text)"/g)];
  return [
    ...choices.map(([, name = '', options = '']) => ({
      name,
      values: [...options.matchAll(/<option value="([^"]+)"/g)].map(([, value = '']) => value).slice(0, 3),
    })),
    ...fields.map(([, name = '', type]) => ({ name, values: [type === 'date' ? '2026-06-01' : 'a'] })),
  ];
}

/** The rows of a list as they can be read, or what was wrong with the filter. */
async function shown(admin: PageClient, address: string) {
  const { status, html } = await admin.get(address);
  const rows = [...html.matchAll(/<tr[^>]* data-row.*?<\/tr>/gs)].map(([row]) =>
    decoded(row.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' '),
  );
  return { status, rows };
}

/** Lists of the navigation. */
async function lists(): Promise<string[]> {
  const { html } = await author.get('/admin');
  const navigation = html.slice(html.indexOf('console-nav'), html.indexOf('<main'));
  const links = [...navigation.matchAll(/href="(\/admin\/[a-z-]+)"/g)].map(([, href = '']) => href);
  return links.filter((href) => !['/admin/inbox', '/admin/batches', '/admin/settings', '/admin/usage'].includes(href));
}

describe('a link to a list', () => {
  it('shows a colleague the same rows, for every filter of every list, whatever their own view is', async () => {
    let asked = 0;
    const differing: string[] = [];
    for (const list of await lists()) {
      const { html } = await author.get(list);
      const csrf = await colleague.csrf(list);
      const view = {
        _csrf: csrf,
        resource: list.split('/').at(-1) ?? '',
        name: 'Mine',
        query: '?per_page=10',
        is_default: 'true',
      };
      await colleague.post('/admin/views', view);
      for (const { name, values } of controlsOf(html)) {
        for (const value of values) {
          const address = `${list}?${new URLSearchParams({ [name]: value }).toString()}`;
          asked += 1;
          const [mine, theirs] = [await shown(author, address), await shown(colleague, address)];
          if (JSON.stringify(mine) !== JSON.stringify(theirs)) differing.push(address);
        }
      }
    }
    expect(differing).toEqual([]);
    expect(asked).toBeGreaterThan(40);
  });

  it('has fewer rows with a filter than without, and the filter stands in the form again', async () => {
    const all = await shown(author, '/admin/users');
    const some = await shown(author, '/admin/users?status=pending');
    expect([some.rows.length > 0, some.rows.length < all.rows.length]).toEqual([true, true]);
    const { html } = await colleague.get('/admin/users?status=pending');
    expect(html).toMatch(/<option value="pending" selected>/);
  });

  it('shows nothing to who may not see the list', async () => {
    const nobody = await openConsole(test, []);
    expect((await nobody.get('/admin/users?status=pending')).status).toBe(403);
  });
});
