import type { UserRecord } from '../../src/domain/accounts/index.js';
import { adminResources } from '../../src/console/index.js';
import type { TeamRecord } from '../../src/domain/teams/index.js';
import type { Page } from '../../src/theme/index.js';
import { Developer } from './apps.js';
import { openConsole } from './console.js';
import { createGuide, createPlan, createProduct, createUser } from './factories.js';
import type { PageClient } from './page-client.js';
import type { TestPortal } from './test-portal.js';
import { createTeam } from './teams.js';
import { REQUEST } from './tokens.js';
import { createWebhook } from './webhooks.js';

/** A record of each kind, and where its page is: `users` → `/users/7`. */
export type Places = ReadonlyMap<string, string>;

/** Fills a portal with a record of each kind that the console shows. */
export async function fillConsole(test: TestPortal): Promise<{ admin: PageClient; places: Places }> {
  const admin = await openConsole(test);
  const { catalog, content, site } = test.portal.services;
  await catalog.categories.create({ slug: 'cards', name: 'Cards' });
  await catalog.audiences.create({ name: 'partners' });
  const item = { label: 'Products', url: '/portal/products', visibility: 'everyone' } as const;
  await site.menus.create({ slug: 'header', name: 'Header', items: [item, { ...item, label: 'Second' }] });
  const plan = await createPlan(test, { slug: 'free' }, { quotaPerDay: 1_000 });
  const document = { openapi: '3.1.0', info: { title: 'Payments', version: '1' }, paths: {} };
  const product = await createProduct(test, { slug: 'payments', name: 'Payments', plans: ['free'] }, document);
  await catalog.versions.create(product, { name: 'v1' });
  await catalog.products.setSpec(product.id, { ...document, tags: [] });
  const latest = { page: 1, perPage: 1, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
  const [given] = (await catalog.history.list(product, latest)).items;
  const change = await catalog.changelog.create(product, { kind: 'fix', name: 'Amounts have cents' });
  const guide = await createGuide(test, 'quickstart', 'public');
  const answer = { isHelpful: false, remark: 'Where is the sandbox?', locale: 'en' };
  await content.feedback.answer(guide, answer, REQUEST);
  await content.banners.create(null, { level: 'info', name: 'A new portal' });
  const { deprecation } = await catalog.deprecations.create(product, { version: 'v1' });
  await catalog.planVersions.create(plan, {});
  const pending = await createUser(test, { status: 'pending' });
  const ada = await Developer.create(test, { email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' });
  await ada.createApp('checkout', ['payments']);
  const { override, reset } = await changeLimits(test, ada.user);
  await test.client.post('/api/v1/auth/forgot-password', { body: { email: 'ada@example.com' } });
  const token = { name: 'Payments CI', permissions: ['portal.products.view'] };
  await test.portal.services.administration.serviceTokens.create(token, 'operator');
  const team = await createTeam(test, ada.user, [[pending, 'viewer']]);
  const webhook = await createWebhook(test, 'https://hooks.invalid/portal');
  const entries = adminResources.map(async ({ name, operations, params = ['id'] }): Promise<[string, string]> => {
    if (operations.list === undefined || operations.show === undefined) return [name, ''];
    const { html } = await admin.get(`/admin/${name}`);
    const link = new RegExp(`href="/admin(/${name}(?:/[a-z0-9-]*[0-9a-z]){${params.length}})"`, 'g');
    const found = [...html.matchAll(link)].map(([, path = '']) => path);
    return [name, found.find((path) => !/\/(create|export|import|bulk|matrix)$/.test(path)) ?? ''];
  });
  const places = new Map(await Promise.all(entries));
  const menu = await admin.get(`/admin${places.get('menus') ?? ''}`);
  places.set('menu-items', /href="\/admin(\/menu-items\/\d+\/\d+)"/.exec(menu.html)?.[1] ?? '');
  places.set('overrides', `/overrides/${ada.user.id}/checkout/${override}`);
  places.set('quota-resets', `/quota-resets/${ada.user.id}/checkout/${reset}`);
  places.set('changes', `/changes/${product.id}/${change.entry.id}`);
  places.set('deprecations', `/deprecations/${product.id}/${deprecation.id}`);
  places.set('product-versions', `/product-versions/${product.id}/v1`);
  places.set('product-documents', `/product-documents/${product.id}/${given?.id ?? 0}`);
  places.set('guide-versions', `/guide-versions/${guide.id}/${guide.version}`);
  places.set('webhook-deliveries', `/webhook-deliveries/${webhook.id}/${webhook.delivery}`);
  places.set('team-members', `/team-members/${team.id}/${pending.id}`);
  await addWaysInto(test, team, places);
  places.set('plan-versions', `/plan-versions/${plan.id}/2`);
  return { admin, places };
}

async function changeLimits({ portal }: TestPortal, user: UserRecord) {
  const { apps, limits } = portal.services.apps;
  const input = { product: 'payments', raised: { quotaPerDay: 500 }, isExempt: false, endsAt: null, reason: 'A sale.' };
  const owned = await apps.find(user, 'checkout');
  const admin = { type: 'admin', id: 1 } as const;
  const { override } = await limits.start(owned, input, admin);
  const { reset } = await portal.services.usage.resetQuotas(
    owned,
    { product: 'payments', reason: 'An outage.' },
    admin,
  );
  // Its mail does not wait.
  await portal.jobs.run('mail');
  return { override: override.id, reset: reset.id };
}

/** Of what stands in an address below a record. */
const FURTHER: Readonly<Record<string, string>> = { product: 'payments' };

/** The address of a declared page for the records that there are; null without one. */
export function addressOf({ path }: Pick<Page, 'path'>, places: Places): string | null {
  const [, name = ''] = path.split('/');
  const place = places.get(name) ?? '';
  const item = places.get('menu-items')?.split('/').at(-1) ?? '';
  const given = place.split('/').slice(2);
  const parts = path.split('/').map((part) => {
    if (!part.startsWith(':')) return part;
    return FURTHER[part.slice(1)] ?? given.shift() ?? (part === ':item' ? item : null);
  });
  return parts.includes(null) ? null : `/admin${parts.join('/')}`.replace(/\/$/, '');
}

/** Files, and pages that lead on when there is nothing to show. */
const NO_PAGE = /\/(export|download|result|bulk|import\/[^/]+|results\.csv)$/;

/** Where each page that can be looked at stands, for the records that there are. */
export function addressesOf(pages: readonly Page[], places: Places): readonly string[] {
  const found = pages.filter(({ method }) => method === 'get').flatMap((page) => addressOf(page, places) ?? []);
  return [...new Set(found)].filter((address) => !NO_PAGE.test(address));
}

/** A mail domain, somebody of it who asks, and a code. */
async function addWaysInto(test: TestPortal, team: TeamRecord, places: Map<string, string>): Promise<void> {
  const { domains, requests, codes } = test.portal.services.teams;
  const asker = await createUser(test, { email: 'asks@partner.example', emailVerifiedAt: test.clock.now() });
  const domain = await domains.add(team, null, { domain: 'partner.example', mode: 'ask', role: 'viewer' });
  const { request } = await requests.ask(asker, team.id);
  const code = { name: 'Partners', role: 'viewer', maxUses: 5, expiresIn: 3_600 };
  const { record } = await codes.create(team, code);
  places.set('team-domains', `/team-domains/${team.id}/${domain.id}`);
  places.set('team-requests', `/team-requests/${team.id}/${request.id}`);
  places.set('team-codes', `/team-codes/${team.id}/${record.id}`);
}
