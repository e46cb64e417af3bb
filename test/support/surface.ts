import type { AdminRecord, UserRecord } from '../../src/domain/accounts/index.js';
import { routePath } from '../../src/http/index.js';
import type { PortalRoute } from '../../src/api/index.js';
import { envelopeFault } from './envelope.js';
import { createAdmin, createProduct, createRole, createUser, PASSWORD } from './factories.js';
import type { Answer, Call } from './http-client.js';
import { UNLIMITED } from './project.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from './test-portal.js';
import { issueTokens } from './tokens.js';

/** Somebody signed in, with one record for every path of theirs. */
export interface Caller {
  readonly account: UserRecord | AdminRecord;
  readonly token: string;
  readonly refreshToken: string;
  readonly sid: string;
  /** Id of the record that the route is about: a user, a role, the credential of the app `shop` …; 0 where there is none. */
  readonly target: number;
}

const PRODUCT = 'payments';
const MENU = 'header';
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
  private readonly callers = new Map<string, Caller>();

  private constructor(readonly test: TestPortal) {}

  static async start(options: TestPortalOptions = {}): Promise<Surface> {
    const test = await startTestPortal({
      ...options,
      // Nothing of the limits stands between an attack and the code behind them; they have tests of their own.
      config: {
        limits: UNLIMITED,
        accounts: { customAttributes: ['company'] },
        apps: { selfApproval: true },
        ...options.config,
      },
    });
    const surface = new Surface(test);
    await surface.fill();
    return surface;
  }

  get routes(): readonly PortalRoute[] {
    return this.test.portal.routes;
  }

  /** Somebody who may call a route, and has what it needs. */
  async caller({ context, path }: Pick<PortalRoute, 'context' | 'path'>): Promise<Caller> {
    const account =
      context === 'admin' ? await createAdmin(this.test, { roles: ['super_admin'] }) : await createUser(this.test);
    const { accessToken: token, refreshToken } = await issueTokens(this.test, account.id, context);
    const owner = { context, id: account.id };
    const [session] = await this.test.portal.services.auth.sessions.list(owner);
    const target = await this.createTarget(kindOf(path), token);
    return { account, token, refreshToken, sid: session?.sid ?? '', target };
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
    if (!route.body) return undefined;
    const { keys = {} } = route.body.describe() as { keys?: Record<string, { examples?: unknown[] }> };
    const examples = Object.entries(keys).map(([name, { examples }]) => [name, examples?.[0]]);
    return { ...Object.fromEntries(examples), ...this.own(route, caller) };
  }

  send(route: PortalRoute, caller: Caller, call: Call & { path?: string } = {}): Promise<Answer> {
    const { path = this.path(route, caller), ...rest } = call;
    const token = route.auth === 'none' ? {} : { token: caller.token };
    return this.test.client.send(route.method.toUpperCase(), path, { ...token, ...rest });
  }

  /**
   * Calls a route as somebody who may, and says what is wrong with the answer. Who lost their sign-in or changed
   * something is replaced, so that every call meets the same.
   */
  async attack(route: PortalRoute, attack: Attack): Promise<string | null> {
    const kind = `${route.context} ${kindOf(route.path)}`;
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

  stop(): Promise<void> {
    return this.test.stop();
  }

  private async fill(): Promise<void> {
    await this.test.portal.services.rbac.seed();
    await createProduct(
      this.test,
      { slug: PRODUCT },
      { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} },
    );
    await this.insert('portal_menus', { slug: MENU, name: 'Header' });
    await this.insert('portal_audiences', { name: 'partners', description: '' });
  }

  /** Reachable by `:id`, and nobody's who calls. */
  private async createTarget(kind: string, token: string): Promise<number> {
    if (kind === 'apps') return this.createApp(token);
    if (kind === 'users') return (await createUser(this.test)).id;
    if (kind === 'admins') return (await createAdmin(this.test)).id;
    const { database } = this.test.portal;
    if (kind === 'roles') {
      const name = await createRole(this.test, []);
      const [role] = await database.select<{ id: number }>('SELECT id FROM portal_roles WHERE name = ?', [name]);
      return role?.id ?? 0;
    }
    if (kind === 'permissions')
      return this.insert('portal_permissions', { name: `acme.n${(this.count += 1)}.use`, description: '' });
    return 0;
  }

  private async insert(table: string, values: Readonly<Record<string, string>>): Promise<number> {
    const now = this.test.clock.now();
    const row = { ...values, created_at: now, updated_at: now };
    const marks = Object.keys(row).map(() => '?');
    const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`;
    return (await this.test.portal.database.execute(sql, Object.values(row))).insertId;
  }

  private async createApp(token: string): Promise<number> {
    const answer = await this.test.client.post('/api/v1/me/apps', { name: 'shop', products: [PRODUCT] }, { token });
    if (answer.status !== 201) throw new Error(`creating the app answered ${answer.status}: ${answer.text}`);
    return answer.json.data.credentials[0].id;
  }

  private parameter(path: string, name: string, caller: Caller): string {
    if (name === 'appName') return 'shop';
    if (name === 'product' || path.startsWith('/api-products')) return PRODUCT;
    if (path.startsWith('/menus')) return MENU;
    if (path.startsWith('/me/sessions')) return caller.sid;
    return String(caller.target);
  }

  /** Fields whose value is the caller's own. */
  private own({ path }: PortalRoute, { account, refreshToken }: Caller): Record<string, unknown> {
    this.count += 1;
    const changed = { password: 'another horse battery 42', password_confirmation: 'another horse battery 42' };
    if (path === '/auth/register') return { ...changed, email: `new${this.count}@example.com` };
    if (path === '/auth/login') return { email: account.email, password: PASSWORD };
    if (path === '/me/password') return { ...changed, current_password: PASSWORD };
    if (path === '/me/reauthenticate') return { password: PASSWORD };
    if (/^\/(?:users|admins)(?:\/:id)?$/.test(path)) return { ...changed, email: `new${this.count}@example.com` };
    if (/^\/roles(?:\/:id)?$/.test(path)) return { name: `role_${this.count}` };
    if (/^\/permissions(?:\/:id)?$/.test(path)) return { name: `acme.n${this.count}.view` };
    if (path === '/me') return { email: account.email };
    if (path === '/me/apps') return { name: `app${this.count}`, products: [PRODUCT] };
    if (path === '/me/apps/:appName') return { name: 'shop' };
    return path.startsWith('/auth/') ? { refresh_token: refreshToken } : {};
  }
}

/** What must be there before a route is called: an app, or a record of the collection whose `:id` is in the path. */
function kindOf(path: string): string {
  if (path.startsWith('/me/apps')) return 'apps';
  return /^\/([\w-]+)\/:id\b/.exec(path)?.[1] ?? '';
}

export function nameOf(route: PortalRoute): string {
  return `${route.method.toUpperCase()} ${route.context} ${route.path}`;
}
