import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  carryOut,
  exportTo,
  kinds,
  OperatorPort,
  planChanges,
  PresentRecords,
  planMarks,
  planPrune,
  readFolder,
  readManager,
  readManagedMarks,
  requireCurrent,
  RestPort,
  actOf,
  type AdminPort,
} from '../../src/as-code/index.js';
import { Developer } from '../support/apps.js';
import { createPlan } from '../support/factories.js';
import { PNG } from '../support/forms.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const DEMO = join(import.meta.dirname, '..', '..', '..', 'templates', 'demo');
const PLANTED = 'planted-c0ffee-secret';
const TOKENS = ['products', 'categories', 'audiences', 'plans', 'menus', 'settings', 'roles', 'guides', 'webhooks'];

let source: TestPortal;
let root: string;
beforeAll(async () => {
  source = await filled();
  root = mkdtempSync(join(tmpdir(), 'as-code-'));
});
afterAll(async () => {
  await source.stop();
  rmSync(root, { recursive: true });
});

/** The demo catalog, with a record of every kind that the demo has none of. */
async function filled(): Promise<TestPortal> {
  const test = await startTestPortal();
  const { catalog, site, rbac } = test.portal.services;
  await rbac.seed();
  await catalog.demo.run(DEMO);
  await createPlan(test, { slug: 'free' }, { quotaPerDay: 1_000, gracePercent: 10 });
  await createPlan(test, { slug: 'pro', position: 20 }, { ratePerSecond: 5 });
  const [first] = await test.portal.database.select<{ id: number }>('SELECT MIN(id) AS id FROM portal_products');
  const product = await catalog.products.findForAdmin(first?.id ?? 0);
  await catalog.products.setPlans(product.id, ['free', 'pro'], 'pro');
  await catalog.products.setThumbnail(product.id, PNG);
  await catalog.products.setWorkflows(product, Buffer.from(JSON.stringify(await workflowsFor(test, product))));
  await site.settings.create({ key: 'acme.phone', type: 'string', value: '+49 30 1', isPublic: true });
  await site.settings.create({ key: 'acme.token', type: 'secret', value: PLANTED });
  await test.portal.services.administration.roles.create(
    { name: 'writers', permissions: ['portal.products.view'] },
    'operator',
  );
  await fillContent(test, product);
  return test;
}

/** Calls the first operation of a product. */
async function workflowsFor(
  { portal }: TestPortal,
  product: { readonly id: number; readonly specHash: string | null },
) {
  const index = await portal.services.catalog.products.readIndex(product, { kind: 'admin' });
  const { method = '', path = '' } = index?.outline.operations[0] ?? {};
  const operationPath = `{$sourceDescriptions.api.url}#/paths/${path.replaceAll('/', '~1')}/${method}`;
  return {
    ...{ arazzo: '1.0.1', info: { title: 'One call', version: '1' } },
    sourceDescriptions: [{ name: 'api', url: './openapi.json', type: 'openapi' }],
    workflows: [{ workflowId: 'one-call', steps: [{ stepId: 'call', operationPath }] }],
  };
}

async function fillContent({ portal, clock }: TestPortal, product: { readonly id: number; readonly slug: string }) {
  const { content, webhooks, catalog } = portal.services;
  await catalog.audiences.create({ name: 'readers' });
  const text = 'Ask for a key.\n\n:::note\nThen call.\n:::\n';
  const translations = { ar: { name: 'البداية', description: 'اطلب مفتاحا.' } };
  const common = { name: 'Start', description: text, group: 'Begin', position: 10 };
  await content.guides.create({ kind: 'guide', productId: null }, { slug: 'start', ...common, translations });
  const ofProduct = { slug: 'start', ...common, visibility: 'private', audiences: ['readers'] } as const;
  await content.guides.create({ kind: 'guide', productId: product.id }, ofProduct);
  const day = new Date(clock.now().getTime() - 86_400_000);
  const news = { slug: 'launch', name: 'Launch', visibility: 'public', publishedAt: day } as const;
  await content.guides.create({ kind: 'news', productId: null }, news);
  const endpoint = { url: 'https://hooks.example.com/portal', events: ['app.*'], description: 'Billing' };
  const terms = { audiences: ['readers'], fields: ['label'], rate: 60, isOrdered: true };
  await webhooks.endpoints.create({ ...endpoint, ...terms }, null, null);
}

const port = ({ portal }: TestPortal) => new OperatorPort(portal.services, portal.operatorParts);
const steps = async (to: AdminPort, folder: string, scope?: string, env: Record<string, string> = {}) =>
  planChanges(to, await readFolder({ root: folder, kinds, env }), new PresentRecords(to), { scope });
const apply = async (to: AdminPort, folder: string) => carryOut(to, await steps(to, folder));

/** Path → bytes of every file. */
function bytesOf(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

describe('a portal as code', () => {
  it('is exported the same each time, and without secrets', async () => {
    const { counts } = await exportTo(port(source), folder('one'), kinds);
    expect(counts).toMatchObject({ products: 6, plans: 2, guides: 2, news: 1, webhooks: 1 });
    await exportTo(port(source), folder('two'), kinds);
    const files = bytesOf(join(root, 'one'));
    expect(bytesOf(join(root, 'two'))).toEqual(files);
    expect(JSON.stringify(Object.values(files).map((text) => Buffer.from(text, 'base64').toString()))).not.toContain(
      PLANTED,
    );
    // Over what is there, nothing is written.
    expect((await exportTo(port(source), join(root, 'one'), kinds)).written).toEqual([]);
    expect(await steps(port(source), join(root, 'one'))).toEqual([]);
  });

  it('makes of an empty portal one with the same export, and a second apply writes nothing', async () => {
    const target = await startTestPortal();
    try {
      await target.portal.services.rbac.seed();
      const to = port(target);
      await exportTo(port(source), folder('from'), kinds);
      await apply(to, join(root, 'from'));
      await exportTo(to, folder('to'), kinds);
      expect(bytesOf(join(root, 'to'))).toEqual(bytesOf(join(root, 'from')));
      const writes = await countWrites(target, () => apply(to, join(root, 'from')));
      expect(writes).toBe(0);
    } finally {
      await target.stop();
    }
  });

  it('is the same over the network with a service token, for what no fresh sign-in guards', async () => {
    const target = await startTestPortal();
    try {
      const { rbac, administration } = target.portal.services;
      await rbac.seed();
      await administration.roles.create({ name: 'writers', permissions: ['portal.products.view'] }, 'operator');
      const abilities = ['view', 'create', 'update', 'delete'];
      const permissions = TOKENS.flatMap((resource) => abilities.map((ability) => `portal.${resource}.${ability}`));
      const { secret } = await administration.serviceTokens.create(
        { name: 'ci', permissions: [...permissions, 'portal.rbac.manage'] },
        'operator',
      );
      const to = new RestPort(target.client.url, secret);
      await exportTo(port(source), folder('sent'), kinds);
      await apply(to, join(root, 'sent'));
      await exportTo(to, folder('read'), kinds);
      expect(bytesOf(join(root, 'read'))).toEqual(bytesOf(join(root, 'sent')));
      expect(await steps(to, join(root, 'sent'))).toEqual([]);
      const [row] = await target.portal.database.select<{ total: number }>(
        "SELECT COUNT(*) AS total FROM portal_activities WHERE actor_type = 'service' AND action = 'product.created'",
      );
      expect(Number(row?.total)).toBe(6);
    } finally {
      await target.stop();
    }
  });
});

describe('an apply over the network', () => {
  const abilities = (...resources: readonly string[]) =>
    resources.flatMap((resource) => ['view', 'create', 'update', 'delete'].map((one) => `portal.${resource}.${one}`));
  const portOf = async (name: string, permissions: readonly string[]) => {
    const { serviceTokens } = source.portal.services.administration;
    const { secret } = await serviceTokens.create({ name, permissions }, 'operator');
    return new RestPort(source.client.url, secret, 'portal apply (commit 9fceb02)');
  };
  const categories = async () =>
    (await source.portal.database.select<{ slug: string }>('SELECT slug FROM portal_categories')).map(
      ({ slug }) => slug,
    );
  const activities = async () =>
    Number((await source.portal.database.select<{ n: number }>('SELECT COUNT(*) AS n FROM portal_activities'))[0]?.n);
  const write = (from: string, files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(from, name), text);
  };
  const item = (url: string) => `extra:\n  name: Extra\n  items:\n    - label: One\n      ${url}\n`;

  it('does all or nothing, and says which record was refused', async () => {
    const from = folder('at-once');
    write(from, { 'categories.yaml': 'together:\n  name: Together\n', 'menus.yaml': item('route: no.such.route') });
    const to = await portOf('at-once', abilities('categories', 'menus'));
    const before = await activities();
    await expect(apply(to, from)).rejects.toThrow(/^menus\/extra: /);
    expect(await categories()).not.toContain('together');
    expect(await activities()).toBe(before);
    write(from, { 'menus.yaml': item('url: https://example.com/') });
    await apply(to, from);
    expect(await categories()).toContain('together');
    expect(await steps(to, from)).toEqual([]);
    const rows = await source.portal.database.select<{ origin: string }>(
      `SELECT p.user_agent AS origin FROM portal_activities a JOIN portal_activity_people p ON p.activity_id = a.id
       WHERE a.action = 'category.created' AND a.actor_type = 'service'`,
    );
    expect(rows).toEqual([{ origin: 'portal apply (commit 9fceb02)' }]);
  });

  it('asks for the permission of each part, and does nothing where one is missing', async () => {
    const from = folder('allowed');
    write(from, { 'categories.yaml': 'forbidden:\n  name: No\n', 'menus.yaml': 'other:\n  name: Other\n' });
    const all = await steps(await portOf('all', abilities('categories', 'menus')), from);
    const to = await portOf('some', [...abilities('categories'), 'portal.menus.view']);
    await expect(carryOut(to, all)).rejects.toThrow(/^menus\/other: .*Forbidden/);
    expect(await categories()).not.toContain('forbidden');
    const [last] = await source.portal.database.select<{ subject_label: string; actor_type: string }>(
      'SELECT * FROM portal_activities ORDER BY id DESC LIMIT 1',
    );
    expect(last).toMatchObject({ action: 'admin.request_refused', actor_type: 'service' });
  });

  it('is refused when a record moved since the plan, a new one among them, and deletes what it was told to', async () => {
    const from = folder('moved');
    const files = { 'portal.yaml': 'managed_by: moved\n', 'audiences.yaml': 'one: {}\ntwo:\n  description: Two\n' };
    write(from, files);
    const to = await portOf('moved', abilities('audiences'));
    const planned = await steps(to, from);
    await carryOut(to, planned);
    await expect(carryOut(to, planned)).rejects.toThrow('audiences/one was changed meanwhile.');
    write(from, { 'audiences.yaml': 'two:\n  description: Too\n' });
    const changed = await steps(to, from);
    source.clock.advance(1);
    const { audiences } = source.portal.services.catalog;
    await audiences.update((await audiences.findByName('two')).id, { description: 'By hand' });
    await expect(carryOut(to, changed)).rejects.toThrow('audiences/two was changed meanwhile.');
    expect((await audiences.findByName('two')).description).toBe('By hand');
  });
});

async function countWrites({ portal: { database } }: TestPortal, run: () => Promise<unknown>): Promise<number> {
  const before = await database.select('SELECT COUNT(*) AS total, MAX(id) AS last FROM portal_activities');
  const stamps = async () =>
    database.select('SELECT slug, updated_at FROM portal_products UNION ALL SELECT slug, updated_at FROM portal_menus');
  const versions = await stamps();
  await run();
  expect(await stamps()).toEqual(versions);
  expect(await database.select('SELECT COUNT(*) AS total, MAX(id) AS last FROM portal_activities')).toEqual(before);
  return 0;
}

describe('endpoints of webhooks', () => {
  const written = (name: string) => readFileSync(join(root, name, 'webhooks.yaml'), 'utf8');

  it('are exported without their secrets, and without an address that may hold one', async () => {
    const { endpoints } = source.portal.services.webhooks;
    const made = await Promise.all(
      [`https://hooks.example.com/services/T0AB/${PLANTED}`, `https://hooks.example.com/in/${PLANTED}`].map((url) =>
        endpoints.create({ url, events: ['*'], description: `To ${new URL(url).pathname.length}` }, null, null),
      ),
    );
    made.push(
      await endpoints.create({ url: `https://hooks.example.com/in?key=${PLANTED}`, events: ['*'] }, null, null),
    );
    await exportTo(port(source), folder('hooks'), kinds, 'webhooks');
    expect(written('hooks')).toContain('url: https://hooks.example.com/portal\n');
    expect(written('hooks')).toContain('hooks.example.com:\n');
    for (const secret of [PLANTED, ...made.map(({ secret: own }) => own)])
      expect(written('hooks')).not.toContain(secret);
    for (const { endpoint } of made) await endpoints.delete(endpoint);
  });

  it('take their address from the environment, which no plan tells', async () => {
    const from = folder('hook-of-env');
    writeFileSync(join(from, 'webhooks.yaml'), 'Pager:\n  url: !env PAGER_URL\n  events: [app.approved]\n');
    const to = port(source);
    const env = { PAGER_URL: `https://pager.example.com/${PLANTED}` };
    const planned = await steps(to, from, undefined, env);
    expect(JSON.stringify(planned.map(actOf))).not.toContain(PLANTED);
    await carryOut(to, planned);
    expect(await steps(to, from, undefined, env)).toEqual([]);
    const moved = await steps(to, from, undefined, { PAGER_URL: 'https://pager.example.com/other' });
    expect(moved.map(actOf)).toMatchObject([{ what: 'update', changes: { url: ['(hidden)', '(from PAGER_URL)'] } }]);
  });
});

describe('a plan', () => {
  const products = (name: string, text: string) => {
    mkdirSync(join(root, name, 'products'), { recursive: true });
    writeFileSync(join(root, name, 'products', 'made.yaml'), text);
    return join(root, name);
  };

  it('tells fields before and after, and is refused once the record or the file moved', async () => {
    const { products: service } = source.portal.services.catalog;
    await service.create({
      slug: 'made',
      name: 'Made',
      visibility: 'draft',
      approval: 'auto',
      gatewayProductId: 'made',
    });
    const from = products('stale', 'slug: made\nname: Made well\ntags: [b, a]\n');
    const to = port(source);
    const planned = await steps(to, from);
    expect(planned.map(actOf)).toMatchObject([
      {
        kind: 'products',
        key: 'made',
        what: 'update',
        changes: { name: ['Made', 'Made well'], tags: [null, ['b', 'a']] },
      },
    ]);
    const plan = { version: 1, acts: planned.map(actOf) } as const;
    requireCurrent(plan, await steps(to, from));
    source.clock.advance(1);
    const { id } = await service.findForAdmin('made');
    await service.update(id, { shortDescription: 'by hand' });
    const moved = await steps(to, from);
    expect(() => requireCurrent(plan, moved)).toThrow('products/made was changed since the plan was made.');
    await expect(carryOut(to, planned)).rejects.toThrow('products/made was changed meanwhile.');
    products('stale', 'slug: made\nname: Made better\n');
    const other = { version: 1, acts: moved.map(actOf) } as const;
    const written = await steps(to, from);
    expect(() => requireCurrent(other, written)).toThrow('The files say something else about products/made');
    expect((await service.findForAdmin('made')).name).toBe('Made');
    await carryOut(to, written);
    expect(await steps(to, from)).toEqual([]);
    // What the file does not have is as it was.
    expect((await service.findForAdmin('made')).shortDescription).toBe('by hand');
  });

  it('sends a secret of the environment when there is none, and never tells it', async () => {
    const from = folder('secrets');
    writeFileSync(join(from, 'settings.yaml'), 'acme.fresh:\n  type: secret\n  value: !env ACME_TOKEN\n');
    const to = port(source);
    const planned = await steps(to, from, undefined, { ACME_TOKEN: PLANTED });
    expect(planned.map(actOf)).toMatchObject([{ changes: { value: [null, '(from ACME_TOKEN)'] } }]);
    expect(JSON.stringify(planned.map(actOf))).not.toContain(PLANTED);
    await carryOut(to, planned);
    expect(await source.portal.services.site.settings.valueOf('acme.fresh')).toBe(PLANTED);
    expect(await steps(to, from, undefined, { ACME_TOKEN: 'another' })).toEqual([]);
    await expect(steps(to, from)).rejects.toThrow('settings.yaml: !env ACME_TOKEN: the environment has no ACME_TOKEN.');
  });

  it('keeps to a scope, and refuses files that say what there is not', async () => {
    const from = products('scope', 'slug: made\nname: Scoped\n');
    writeFileSync(join(from, 'categories.yaml'), 'fresh:\n  name: Fresh\n');
    const to = port(source);
    expect((await steps(to, from, 'products/made')).map(({ key }) => key)).toEqual(['made']);
    expect((await steps(to, from, 'categories')).map(({ key }) => key)).toEqual(['fresh']);
    products('scope', 'slug: made\nnaem: Scoped\n');
    await expect(steps(to, from)).rejects.toThrow('products/made.yaml: products have no naem; did you mean name?');
    products('scope', 'slug: made\ndocument: ../../../../etc/passwd\n');
    await expect(steps(to, from)).rejects.toThrow('lies outside of the folder');
  });

  it('lays the file of an environment over the others', async () => {
    const from = products('overlay', 'slug: made\nvisibility: public\ncustom_attributes: { owner: us, tier: one }\n');
    writeFileSync(
      join(from, 'portal.staging.yaml'),
      'products:\n  made:\n    visibility: draft\n    custom_attributes: { tier: two }\n',
    );
    const [made] = await readFolder({ root: from, kinds, env: {}, overlay: 'staging' });
    expect(made).toMatchObject({
      doc: { visibility: 'draft', custom_attributes: { owner: 'us', tier: 'two' } },
      overlaid: ['visibility', 'custom_attributes'],
    });
  });

  it('keeps comments when files are exported anew', async () => {
    const from = products('comments', '# Ours alone\nslug: made\n# Chosen by marketing\nname: Old name\n');
    await exportTo(port(source), from, kinds, 'products/made');
    const text = readFileSync(join(from, 'products', 'made.yaml'), 'utf8');
    expect(text).toContain('# Ours alone\nslug: made\n# Chosen by marketing\nname: Made better\n');
  });
});

describe('records that files manage', () => {
  const write = (from: string, files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(from, name), text);
  };
  const all = async (to: AdminPort, from: string, prune = false, adopts = false) => {
    const reading = { root: from, kinds, env: {} };
    const [wanted, manager] = [await readFolder(reading), await readManager(reading)];
    if (!manager) throw new Error('nobody manages them');
    const present = new PresentRecords(to);
    const managing = { wanted, present, marks: await readManagedMarks(to), manager };
    const changes = adopts ? [] : await planChanges(to, wanted, present, { manager });
    const marks = await planMarks(managing, adopts);
    return [...changes, ...marks, ...(prune ? await planPrune(to, managing) : [])];
  };
  const told = (found: readonly { what: string; key: string }[]) => found.map(({ what, key }) => [what, key]);

  it('are deleted when the files drop them, and no others', async () => {
    const to = port(source);
    const from = folder('managed');
    write(from, {
      'portal.yaml': 'managed_by: catalog\nsource: https://git.example.com/catalog\n',
      'audiences.yaml': 'kept: {}\ndropped: {}\nsafe:\n  protected: true\n',
    });
    await source.portal.services.catalog.audiences.create({ name: 'by-hand' });
    await carryOut(to, await all(to, from));
    expect(await all(to, from, true)).toEqual([]);
    write(from, { 'audiences.yaml': 'kept: {}\n' });
    expect(await all(to, from)).toEqual([]);
    const planned = await all(to, from, true);
    expect(told(planned)).toEqual([['delete', 'dropped']]);
    await carryOut(to, planned);
    expect(await all(to, from, true)).toEqual([]);
    const rows = await source.portal.database.select<{ name: string }>('SELECT name FROM portal_audiences');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['by-hand', 'kept', 'safe']));
  });

  it('are deleted together with what carried them until then', async () => {
    const to = port(source);
    const from = folder('carried');
    mkdirSync(join(from, 'products'));
    write(from, {
      'portal.yaml': 'managed_by: carried\n',
      'audiences.yaml': 'kept-too: {}\ngone: {}\n',
      'products/held.yaml': 'slug: held\nname: Held\naudiences: [gone]\n',
    });
    await carryOut(to, await all(to, from));
    source.clock.advance(1);
    write(from, {
      'audiences.yaml': 'kept-too: {}\n',
      'products/held.yaml': 'slug: held\nname: Held\naudiences: [kept-too]\n',
    });
    const planned = await all(to, from, true);
    expect(told(planned)).toEqual([
      ['update', 'held'],
      ['delete', 'gone'],
    ]);
    await carryOut(to, planned);
    expect(await all(to, from, true)).toEqual([]);
  });

  it('are taken over by adopting them alone', async () => {
    const to = port(source);
    const from = folder('other');
    write(from, { 'portal.yaml': 'managed_by: other\n', 'audiences.yaml': 'kept: {}\n' });
    await expect(all(to, from)).rejects.toThrow(
      'audiences/kept is managed by catalog (https://git.example.com/catalog).',
    );
    await carryOut(to, await all(to, from, false, true));
    expect(await all(to, from)).toEqual([]);
  });

  it('become drafts instead of being deleted while keys carry them', async () => {
    const to = port(source);
    const from = folder('keys');
    mkdirSync(join(from, 'products'));
    write(from, {
      'portal.yaml': 'managed_by: keys\n',
      'products/carried.yaml': 'slug: carried\nname: Carried\nvisibility: public\n',
      'products/stays.yaml': 'slug: stays\nname: Stays\n',
    });
    await carryOut(to, await all(to, from));
    const ada = await Developer.create(source, { email: 'ada@as-code.example' });
    await ada.createApp('checkout', ['carried']);
    rmSync(join(from, 'products', 'carried.yaml'));
    const planned = await all(to, from, true);
    expect(planned.map(actOf)).toMatchObject([{ what: 'draft', key: 'carried', keys: 1 }]);
    await carryOut(to, planned);
    expect((await source.portal.services.catalog.products.findForAdmin('carried')).visibility).toBe('draft');
    expect(await all(to, from, true)).toEqual([]);
  });
});
