import { createHash, randomBytes } from 'node:crypto';
import type { AdminRecord, UserRecord } from '../../src/domain/accounts/index.js';
import type { ProductRecord } from '../../src/domain/catalog/index.js';
import { type EmailTokenPurpose } from '../../src/domain/auth/index.js';
import { EmailTokens } from '../../src/domain/auth/email-tokens.js';
import { routePath } from '../../src/http/index.js';
import type { PortalRoute } from '../../src/api/index.js';
import { envelopeFault } from './envelope.js';
import { createAdmin, createGuide, createPlan, createProduct, createUser, PASSWORD } from './factories.js';
import { EMPTY_SPEC, UPLOADS } from './documents.js';
import { fileForm, PNG } from './forms.js';
import type { Answer, Call } from './http-client.js';
import { UNLIMITED } from './project.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from './test-portal.js';
import { issueTokens } from './tokens.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { createTeam } from './teams.js';
import { createWebhook } from './webhooks.js';

/** Somebody signed in, with one record for every path of theirs. */
export interface Caller {
  readonly account: UserRecord | AdminRecord;
  readonly token: string;
  readonly refreshToken: string;
  readonly sid: string;
  /** Token of the mailed link that the route takes; empty where it takes none. */
  readonly link: string;
  /** Id of the credential of the app `shop`; 0 where no app is needed. */
  readonly credential: number;
  /** Parameter → id, of records that an admin needs. */
  readonly records: Readonly<Record<string, number>>;
}

const VIEW = { resource: 'users', query: '' };
const PRODUCT = 'payments';
/** Waits for approval on the key of a caller who needs that. */
const PLAN = 'pro';
const MENU = 'header';
const LATEST = { page: 1, perPage: 10, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
const LINKS: Readonly<Record<string, EmailTokenPurpose>> = {
  '/auth/reset-password': 'password-reset',
  '/auth/verify-email': 'verify-email',
};
/** Of routes that ask for one. */
const NEEDED_QUERIES: Readonly<Record<string, string>> = {
  listRefusals: '?app=1',
  listQuotas: '?app=1',
  exportPlanUsage: '?month=2026-06',
};
/** Leave who is signed in as they are. */
const SIGN_IN = ['/auth/login', '/auth/register'];

/** What is wrong about a call; everything else is right. */
export interface Attack {
  readonly method?: string;
  /** Percent-encoded. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** With its `?`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, or made of a good body. */
  readonly body?: Buffer | ((good: Readonly<Record<string, unknown>>) => string) | undefined;
}

/** Every declared route of a portal, and what it takes to call each of them rightly. */
export class Surface {
  /** How often each status was answered to attacks. */
  readonly seen = new Map<number, number>();
  private count = 0;
  /** The code of a team that a caller may come in by. */
  private readonly codes = new Map<number, string>();
  private picture = '';
  private entry = 0;
  private guide = 0;
  private readonly callers = new Map<string, Caller>();

  private constructor(
    readonly test: TestPortal,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async start(options: TestPortalOptions = {}): Promise<Surface> {
    const test = await startTestPortal({
      ...options,
      // Nothing of the limits stands between an attack and the code behind them; they have tests of their own.
      config: {
        limits: UNLIMITED,
        accounts: { customAttributes: ['company'] },
        apps: { selfApproval: true },
        outbound: { allow: ['127.0.0.1'] },
        ...options.config,
      },
    });
    const surface = new Surface(test, await WebhookReceiver.start());
    await surface.fill();
    return surface;
  }

  get routes(): readonly PortalRoute[] {
    return this.test.portal.routes;
  }

  /** Somebody who may call a route, and has what it needs. */
  async caller({ context, path }: Pick<PortalRoute, 'context' | 'path'>): Promise<Caller> {
    const account =
      context === 'admin'
        ? await createAdmin(this.test, { roles: ['super_admin'] })
        : await createUser(this.test, path.startsWith('/me/team') ? { emailVerifiedAt: this.test.clock.now() } : {});
    const { accessToken: token, refreshToken } = await issueTokens(this.test, account.id, context);
    const owner = { context, id: account.id };
    const [session] = await this.test.portal.services.auth.sessions.list(owner);
    const records = context === 'admin' ? await this.records(path, account.id) : await this.ofTeam(path, account);
    const appOwner = records.user === undefined ? token : (await issueTokens(this.test, records.user)).accessToken;
    const apps = path.includes('/teams/:team/') ? `/api/v1/me/teams/${records.team}/apps` : '/api/v1/me/apps';
    const credential = needsApp(path) ? await this.createApp(appOwner, apps) : 0;
    if (needsApp(path) && path.includes('/:plan')) await this.requestPlan(appOwner, apps, credential);
    if (context === 'consumer' && path.includes('transfers'))
      Object.assign(records, await this.offerApp(path, await this.findUser(account.id), records));
    if (path.endsWith('/move')) records.into = (await createTeam(this.test, await createUser(this.test))).id;
    if (path.includes('/overrides/:id')) records.id = await this.raiseLimits(await this.ownerOf(records));
    if (path.includes('/quota-resets/:id')) records.id = await this.resetQuotas(await this.ownerOf(records));
    if (path.startsWith('/me/notices/:')) records.notice = await this.notify(account.id);
    if (path.startsWith('/me/webhooks/:'))
      Object.assign(records, await createWebhook(this.test, this.receiver.url, account.id));
    if (path.startsWith('/me/teams/:team/webhooks/:')) {
      const { accountId } = await this.test.portal.services.teams.teams.find(records.team ?? 0);
      Object.assign(records, await createWebhook(this.test, this.receiver.url, accountId));
    }
    const link =
      path === '/me/team-invitations/open' ? await this.invite(account) : await this.createLink(path, account);
    return { account, token, refreshToken, sid: session?.sid ?? '', link, credential, records };
  }

  /** The path of a route for what the caller has; `values` replaces parameters, percent-encoded by whoever gives them. */
  path(route: PortalRoute, caller: Caller, values: Readonly<Record<string, string>> = {}): string {
    return routePath(route, this.test.portal.config.portalApi).replace(
      /:(\w+)/g,
      (_match, name: string) => values[name] ?? this.parameter(route.path, name, caller),
    );
  }

  /** A body that the route takes, or undefined where it takes none. */
  body(route: PortalRoute, caller: Caller): Record<string, unknown> | undefined {
    if (!route.body || (route.upload && !route.upload.orJson)) return undefined;
    const { keys = {} } = route.body.describe() as {
      keys?: Record<string, { examples?: unknown[]; flags?: { result?: string } }>;
    };
    const writable = Object.entries(keys).filter(([, { flags }]) => flags?.result !== 'strip');
    const examples = writable.map(([name, { examples }]) => [name, examples?.[0]]);
    const names = new Set(writable.map(([name]) => name));
    const own = Object.entries(this.own(route, caller)).filter(([name]) => names.has(name));
    return { ...Object.fromEntries(examples), ...Object.fromEntries(own) };
  }

  send(route: PortalRoute, caller: Caller, call: Call & { path?: string } = {}): Promise<Answer> {
    const { path = this.path(route, caller) + (NEEDED_QUERIES[route.operation] ?? ''), ...given } = call;
    const { field } = route.upload ?? { field: '' };
    const isFile = given.body === undefined && route.upload !== undefined;
    const rest = isFile ? { ...given, ...fileForm(field, UPLOADS[field] ?? PNG) } : given;
    const token = route.auth === 'none' ? {} : { token: caller.token };
    return this.test.client.send(route.method.toUpperCase(), path, { ...token, ...rest });
  }

  /**
   * Calls a route as somebody who may, and says what is wrong with the answer. Who lost their sign-in or changed
   * something is replaced, so that every call meets the same.
   */
  async attack(route: PortalRoute, attack: Attack): Promise<string | null> {
    const kind = `${route.context} ${needsApp(route.path)} ${route.path.split('/:', 1)[0]}`;
    const caller = this.callers.get(kind) ?? (await this.caller(route));
    this.callers.set(kind, caller);
    const { method = route.method.toUpperCase(), parameters, query = '', headers = {}, body } = attack;
    const path = this.path(route, caller, parameters) + query;
    const sent: Record<string, string> = { accept: 'application/json' };
    if (route.auth !== 'none') sent.authorization = `Bearer ${caller.token}`;
    const content = typeof body === 'function' ? Buffer.from(body(this.body(route, caller) ?? {})) : body;
    if (content !== undefined) sent['content-type'] = 'application/json';
    const answer = await this.test.client.sendAsItIs(method, path, { ...sent, ...headers }, content);
    this.seen.set(answer.status, (this.seen.get(answer.status) ?? 0) + 1);
    const isSpent = answer.status === 401 || (answer.status < 300 && method !== 'GET');
    if (isSpent && !SIGN_IN.includes(route.path)) this.callers.delete(kind);
    const fault = envelopeFault(answer, method === route.method.toUpperCase() ? route : undefined);
    return fault === null ? null : `${method} ${path}: an answer ${fault}\n${answer.text.slice(0, 300)}`;
  }

  async stop(): Promise<void> {
    await this.test.stop();
    await this.receiver.stop();
  }

  private async fill(): Promise<void> {
    const { portal, clock } = this.test;
    await portal.services.rbac.seed();
    await createPlan(this.test, { slug: 'free' }, { quotaPerMonth: 1_000_000 });
    await createPlan(this.test, { slug: PLAN, approval: 'manual' });
    const product = await createProduct(this.test, { slug: PRODUCT, plans: ['free', PLAN] }, EMPTY_SPEC);
    const { products, categories, audiences, changelog } = portal.services.catalog;
    await this.makeVersions(product);
    await products.setWorkflows(product, Buffer.from(UPLOADS.workflows ?? ''));
    this.entry = (await changelog.publish(await this.draftChange(product))).entry.id;
    this.guide = (await createGuide(this.test, 'shown', 'public')).id;
    await categories.create({ slug: 'payments', name: 'Payments' });
    await audiences.create({ name: 'partners' });
    const { thumbnailUrl } = await products.setThumbnail((await createProduct(this.test)).id, PNG);
    this.picture = thumbnailUrl?.split('/').at(-1) ?? '';
    const menu = 'INSERT INTO portal_menus (slug, name, created_at, updated_at) VALUES (?, ?, ?, ?)';
    await portal.database.execute(menu, [MENU, 'Header', clock.now(), clock.now()]);
  }

  /** A team of somebody, with another member and an open invitation. */
  private async ofTeam(
    path: string,
    account: Pick<Caller['account'], 'id' | 'email'>,
  ): Promise<Record<string, number>> {
    if (!path.startsWith('/me/team') && !path.startsWith('/teams')) return {};
    const { invitations, domains, requests, codes } = this.test.portal.services.teams;
    const user = await createUser(this.test);
    // Who is invited, asks or has a code is not in the team yet.
    const isInvited = /^\/me\/team-(?:invitations|requests|codes)/.test(path);
    const role = path.endsWith('/leave') ? 'owner' : path.includes('/apps') ? 'developer' : 'viewer';
    const team = await createTeam(this.test, isInvited ? user : account, isInvited ? [] : [[user, role]]);
    const email = isInvited ? account.email : `invited-${team.id}@example.com`;
    const invitation = await invitations.invite({ team, by: null, locale: 'en' }, { email, role: 'viewer' });
    const emailVerifiedAt = this.test.clock.now();
    const asker = path.startsWith('/me/team-requests')
      ? await this.findUser(account.id)
      : await createUser(this.test, { email: `asks${team.id}@partner.example`, emailVerifiedAt });
    const listed = { domain: asker.email.split('@')[1] ?? '', mode: 'ask', role: 'viewer' } as const;
    const domain = await domains.add(team, null, listed);
    const request = path === '/me/team-requests' ? null : (await requests.ask(asker, team.id)).request;
    const code = await codes.create(team, { name: 'Partners', role: 'viewer', maxUses: 5, expiresIn: 3_600 });
    this.codes.set(account.id, code.code);
    const ways = { domain: domain.id, request: request?.id ?? 0, code: code.record.id };
    return { team: team.id, member: user.id, user: user.id, owner: user.id, invitation: invitation.id, ...ways };
  }

  private async invite(account: Caller['account']): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const { invitation = 0 } = await this.ofTeam('/me/team-invitations', account);
    const hash = createHash('sha256').update(token).digest('hex');
    const sql = 'UPDATE portal_team_invitations SET token_hash = ? WHERE id = ?';
    await this.test.portal.database.execute(sql, [hash, invitation]);
    return token;
  }

  private async createLink(path: string, { id: userId, email }: Caller['account']): Promise<string> {
    const { database } = this.test.portal;
    const purpose = LINKS[path];
    if (!purpose) return '';
    const links = new EmailTokens(database, this.test.clock);
    return database.transaction((transaction) => links.issue({ userId, purpose, email }, 3_600, transaction));
  }

  private async createApp(token: string, apps: string): Promise<number> {
    const answer = await this.test.client.post(apps, { name: 'shop', products: [PRODUCT] }, { token });
    if (answer.status !== 201) throw new Error(`creating the app answered ${answer.status}: ${answer.text}`);
    return answer.json.data.credentials[0].id;
  }

  private findUser(id: number): Promise<UserRecord> {
    return this.test.portal.services.accounts.users.find(id);
  }

  /** An app that is offered, or somebody to offer it to: by the caller, by a team of theirs, or to the caller. */
  private async offerApp(path: string, account: UserRecord, records: Readonly<Record<string, number>>) {
    const { apps, transfers } = this.test.portal.services.apps;
    const by = { type: 'developer', id: account.id } as const;
    if (path.startsWith('/me/app-transfers')) {
      const other = await createUser(this.test);
      const team = await createTeam(this.test, other, [[account, 'developer']]);
      const owner = await this.ownerOf({ team: team.id });
      await apps.create(owner, { name: 'given', products: [PRODUCT] }, { type: 'developer', id: other.id });
      const given = await transfers.offer(await apps.find(owner, 'given'), account, by);
      return { transfer: given.id };
    }
    if (records.team !== undefined) {
      if (!path.endsWith('/:transfer')) return { to: account.id };
      const shop = await apps.find(await this.ownerOf({ team: records.team }), 'shop');
      return { transfer: (await transfers.offer(shop, account, by)).id };
    }
    const into = await createTeam(this.test, account);
    if (!path.endsWith('/:transfer')) return { into: into.id };
    const to = await this.ownerOf({ team: into.id });
    return { transfer: (await transfers.offer(await apps.find(account, 'shop'), to, by)).id };
  }

  private ownerOf({ team, user = 0 }: Readonly<Record<string, number>>): Promise<UserRecord> {
    const { teams } = this.test.portal.services.teams;
    return team === undefined ? teams.findOwner(user) : teams.find(team).then((found) => teams.accountOf(found));
  }

  private async raiseLimits(owner: UserRecord): Promise<number> {
    const { apps } = this.test.portal.services;
    const owned = await apps.apps.find(owner, 'shop');
    const input = { product: PRODUCT, raised: { quotaPerDay: 500 }, isExempt: false, endsAt: null, reason: 'A sale.' };
    const { override } = await apps.limits.start(owned, input, { type: 'admin', id: 1 });
    return override.id;
  }

  private async resetQuotas(owner: UserRecord): Promise<number> {
    const { apps, usage } = this.test.portal.services;
    const owned = await apps.apps.find(owner, 'shop');
    const input = { product: PRODUCT, reason: 'An outage.' };
    return (await usage.resetQuotas(owned, input, { type: 'admin', id: 1 })).reset.id;
  }

  private async requestPlan(token: string, apps: string, credential: number): Promise<void> {
    const path = `${apps}/shop/credentials/${credential}/products/${PRODUCT}/plan`;
    const answer = await this.test.client.send('PUT', path, { token, body: { plan: PLAN } });
    if (answer.status !== 200) throw new Error(`asking for a plan answered ${answer.status}: ${answer.text}`);
  }

  /** The records of an admin route, made for one caller. */
  private async records(path: string, adminId: number): Promise<Record<string, number>> {
    const { site } = this.test.portal.services;
    this.count += 1;
    const name = `made${this.count}`;
    if (path.startsWith('/menus/:menu')) {
      const items = [{ label: name, route: '/x', visibility: 'everyone' as const }];
      const menu = await site.menus.create({ slug: name, name, items });
      return { menu: menu.id, item: menu.items[0]?.id ?? 0 };
    }
    if (path.startsWith('/settings/')) return { id: (await site.settings.create({ key: name, type: 'string' })).id };
    if (path.startsWith('/teams')) return this.ofTeam(path, await createUser(this.test));
    if (path.startsWith('/users/:user/')) return { user: (await createUser(this.test)).id };
    if (path.startsWith('/users/:id')) return { id: (await createUser(this.test)).id };
    if (path.startsWith('/admins/:id')) return { id: (await createAdmin(this.test)).id };
    const { catalog, content } = this.test.portal.services;
    if (path.startsWith('/products/:')) return this.makeProduct(path);
    if (path.startsWith('/plans/:')) return this.makePlan(name, path);
    if (path.startsWith('/categories/:')) return { id: (await catalog.categories.create({ slug: name, name })).id };
    if (path.startsWith('/banners/:')) return { id: (await content.banners.create(null, { level: 'info', name })).id };
    if (path.startsWith('/guides/:')) return createGuide(this.test, name, 'draft');
    if (path.startsWith('/mails/:')) return { id: await this.queueMail(name) };
    if (path.startsWith('/audiences/:')) return { id: (await catalog.audiences.create({ name })).id };
    if (path.startsWith('/webhooks/:')) return createWebhook(this.test, this.receiver.url);
    if (path.startsWith('/views/:id')) {
      return { id: (await this.test.portal.services.console.views.create({ ...VIEW, name }, adminId)).id };
    }
    if (path.startsWith('/roles/:id')) return { id: await this.insert('roles', { name, label: name }) };
    if (path.startsWith('/service-tokens/:id')) return { id: await this.makeToken(name) };
    if (path.startsWith('/permissions/:id')) {
      return { id: await this.insert('permissions', { name: `made.${name}`, description: name }) };
    }
    return {};
  }

  private async makeToken(name: string): Promise<number> {
    const { serviceTokens } = this.test.portal.services.administration;
    return (await serviceTokens.create({ name, permissions: ['portal.products.view'] }, 'operator')).token.id;
  }

  private async makeProduct(path: string): Promise<Record<string, number>> {
    const product = await createProduct(this.test, {}, EMPTY_SPEC);
    if (path.includes('/:deprecation')) return { id: product.id, deprecation: await this.deprecate(product, path) };
    if (path.includes('/versions')) return { id: product.id, ...(await this.makeVersions(product)) };
    const { products } = this.test.portal.services.catalog;
    if (path.endsWith('/workflows')) await products.setWorkflows(product, Buffer.from(UPLOADS.workflows ?? ''));
    if (path.includes('/documents')) return { id: product.id, ...(await this.makeDocuments(product)) };
    if (!path.includes('/:change')) return { id: product.id };
    return { id: product.id, change: (await this.draftChange(product)).entry.id };
  }

  private async notify(userId: number): Promise<number> {
    const { database, services } = this.test.portal;
    const product = await createProduct(this.test, {}, EMPTY_SPEC);
    const { deprecation } = await services.catalog.deprecations.create(product, {});
    const now = this.test.clock.now();
    const change = await database.execute(
      `INSERT INTO portal_change_notices (product_id, kind, deprecation_id, stage, state, created_at)
       VALUES (?, 'deprecation', ?, 'published', 'done', ?)`,
      [product.id, deprecation.id, now],
    );
    const notice = await database.execute(
      `INSERT INTO portal_notices (user_id, change_notice_id, apps, created_at) VALUES (?, ?, '[]', ?)`,
      [userId, change.insertId, now],
    );
    return notice.insertId;
  }

  /** The one to be ended is announced. */
  private async deprecate(product: ProductRecord, path: string): Promise<number> {
    const { deprecations } = this.test.portal.services.catalog;
    const drafted = await deprecations.create(product, {});
    if (path.endsWith('/retire')) await deprecations.announce(drafted, false);
    return drafted.deprecation.id;
  }

  // Its second version is a draft with a document.
  private async makeVersions(product: ProductRecord) {
    const { versions, products } = this.test.portal.services.catalog;
    await versions.create(product, { name: '1' });
    const { version } = await versions.create(product, { name: '2' });
    const spec = { hash: product.specHash ?? '', document: JSON.stringify(EMPTY_SPEC) };
    await products.giveVersionDocument(product, version.id, { spec, note: {} });
    return { name: 2 };
  }

  private async makeDocuments(product: ProductRecord) {
    const { history, products } = this.test.portal.services.catalog;
    await products.setSpec(product.id, { ...EMPTY_SPEC, tags: [] });
    const { items } = await history.list(product, LATEST);
    const [other = 0, document = 0] = items.map(({ id }) => id);
    return { document, other };
  }

  private draftChange(product: ProductRecord) {
    return this.test.portal.services.catalog.changelog.create(product, { kind: 'fix', name: 'Made' });
  }

  // Its second version is a draft.
  private async makePlan(slug: string, path: string): Promise<Record<string, number>> {
    const { plans, planVersions } = this.test.portal.services.catalog;
    const { id } = await createPlan(this.test, { slug });
    if (path.includes('/versions')) await planVersions.create(await plans.find(id), {});
    return { plan: id, number: 2 };
  }

  private async queueMail(name: string): Promise<number> {
    const { mail, database } = this.test.portal;
    const values = { url: 'https://a.example' };
    await mail.queue({ template: 'password-changed', to: `${name}@example.com`, locale: 'en', values });
    const [row] = await database.select<{ id: number }>('SELECT MAX(id) AS id FROM portal_mails');
    return row?.id ?? 0;
  }

  private async insert(table: string, row: Readonly<Record<string, string>>): Promise<number> {
    const now = this.test.clock.now();
    const columns = Object.entries({ ...row, created_at: now, updated_at: now });
    const { insertId } = await this.test.portal.database.execute(
      `INSERT INTO portal_${table} (${columns.map(([name]) => name).join(', ')})
       VALUES (${columns.map(() => '?').join(', ')})`,
      columns.map(([, value]) => value),
    );
    return insertId;
  }

  private parameter(path: string, name: string, caller: Caller): string {
    const record = path.includes('/credentials/') && name === 'id' ? undefined : caller.records[name];
    if (record !== undefined) return String(record);
    if (name === 'appName') return 'shop';
    if (name === 'plan') return PLAN;
    if (path.startsWith('/files')) return this.picture;
    if (path.startsWith('/guides')) return String(this.guide);
    if (name === 'change' || name === 'entry') return String(this.entry);
    if (name === 'other' || path.startsWith('/api-products/:id/versions/:')) return name === 'id' ? PRODUCT : '1';
    if (name === 'product' || path.startsWith('/api-products')) return PRODUCT;
    if (path.startsWith('/menus')) return MENU;
    if (path.startsWith('/me/sessions')) return caller.sid;
    if (path.includes('/credentials/')) return String(caller.credential);
    return '1';
  }

  /** Fields whose value is the caller's own. */
  private own({ path }: PortalRoute, { account, refreshToken, link, records }: Caller): Record<string, unknown> {
    this.count += 1;
    if (path === '/me/team-invitations/open') return { token: link };
    if (path === '/me/team-requests') return { team: records.team };
    if (path === '/me/team-codes/redeem') return { code: this.codes.get(account.id) };
    if (/s$|move$/.test(path) && records.into) return { team: records.into, user: undefined, email: undefined };
    if (path === '/me/teams/:team/apps/:appName/transfers') return { team: undefined, user: account.id };
    if (path === '/teams') return { owner: records.owner };
    if (path === '/teams/:team/members') return { user: records.user };
    const changed = { password: 'another horse battery 42', password_confirmation: 'another horse battery 42' };
    if (path === '/auth/register') return { ...changed, email: `new${this.count}@example.com` };
    if (path === '/auth/login') return { email: account.email, password: PASSWORD };
    if (LINKS[path]) return { ...changed, token: link };
    if (path === '/me/password') return { ...changed, current_password: PASSWORD };
    if (path === '/me/reauthenticate') return { password: PASSWORD };
    if (path === '/me') return { email: account.email };
    if (/^\/(?:users|admins)(?:$|\/:id)/.test(path)) {
      const email = { email: `new${this.count}@example.com` };
      return { ...changed, ...email, audiences: [], roles: [] };
    }
    if (path.startsWith('/roles')) return { name: `role-${this.count}`, permissions: [] };
    if (path.startsWith('/permissions')) return { name: `made.p${this.count}` };
    if (path.startsWith('/service-tokens')) return { name: `made-${this.count}` };
    if (path === '/menus' || path === '/menus/:menu') return { slug: `menu${this.count}` };
    if (/^\/plans(?:$|\/:plan$)/.test(path)) return { slug: `made-${this.count}` };
    if (/^\/(?:products|categories)(?:$|\/:id$)/.test(path))
      return { slug: `made-${this.count}`, gateway_product_id: `made-${this.count}`, plans: [] };
    if (path.startsWith('/products/:id/plans')) return { plans: [] };
    if (path === '/products/:id/versions') return { name: `v${this.count}` };
    if (path.endsWith('/spec')) return { spec: EMPTY_SPEC, url: undefined };
    if (path.startsWith('/audiences')) return { name: `Audience ${this.count}`, users: [], products: [PRODUCT] };
    if (/^\/guides(?:$|\/:id$)/.test(path)) return { slug: `made-${this.count}`, audiences: [] };
    if (path.startsWith('/settings')) return { key: `key${this.count}` };
    if (path === '/me/apps' || path === '/users/:user/apps') return { name: `app${this.count}`, products: [PRODUCT] };
    if (path.endsWith('/apps/:appName')) return { name: 'shop' };
    return path.startsWith('/auth/') ? { refresh_token: refreshToken } : {};
  }
}

function needsApp(path: string): boolean {
  return /^\/(?:me|me\/teams\/:team|users\/:user|teams\/:team)\/apps/.test(path);
}

export function nameOf(route: PortalRoute): string {
  return `${route.method.toUpperCase()} ${route.context} ${route.path}`;
}
