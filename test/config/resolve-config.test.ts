import { environmentName, listOptions, portalOptions } from '../../src/config/index.js';
import { parseDotEnv } from '../../src/config/dot-env.js';
import { faultsOf, JWT_SECRET, KEY, resolve } from './support.js';

describe('the paths of the configuration', () => {
  it.each([
    ['portalApi.rbac.bypassRoles', 'PORTAL_API_RBAC_BYPASS_ROLES'],
    ['portalApi.prefix', 'PORTAL_API_PREFIX'],
    ['portalApi.accessTtl', 'PORTAL_API_ACCESS_TTL'],
    ['theme.sessionKey', 'THEME_SESSION_KEY'],
    ['app.trustProxy', 'APP_TRUST_PROXY'],
  ])('%s is %s in the environment', (path, name) => {
    expect(environmentName(path)).toBe(name);
    expect(listOptions(portalOptions).find((option) => option.path === path)?.env[0]).toBe(name);
  });

  it('gives no two options the same environment name', () => {
    const names = listOptions(portalOptions).flatMap(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has a default that fits every option', () => {
    const { config } = resolve({});
    expect(config.portalApi).toMatchObject({
      prefix: '/api/v1',
      adminPrefix: 'admin',
      accessTtl: 900,
      refreshTtl: 2_592_000,
    });
    expect(config.portalApi.pagination).toEqual({ perPage: 15, maxPerPage: 100 });
    expect(config.portalApi.rbac.permissions.adminAccess).toBe('portal.admin.access');
    expect(config.theme).toMatchObject({ routePrefix: 'portal', sessionKey: 'theme.user_id', locales: ['en', 'ar'] });
    expect(config.session).toEqual({ store: 'database', idle: 1800, absolute: 43_200 });
    expect(config.limits.login.perAccountAndIp).toEqual({ max: 5, window: 60 });
    expect(config.http.bodyLimit).toBe(102_400);
    expect(config.catalog.maxSpecBytes).toBe(20 * 1024 * 1024);
    expect(config.apps.keyLifetime).toBeUndefined();
    expect(config.app.trustProxy).toBe(0);
  });
});

describe('paths at which something is served', () => {
  it.each([
    ['PORTAL_API_PREFIX', 'api/v1', 'portalApi.prefix', '/api/v1'],
    ['PORTAL_API_PREFIX', '/api/v1/', 'portalApi.prefix', '/api/v1'],
    ['PORTAL_API_ADMIN_PREFIX', '/back/office/', 'portalApi.adminPrefix', 'back/office'],
    ['THEME_ROUTE_PREFIX', '//developers//', 'theme.routePrefix', 'developers'],
    ['DOCS_PATH', 'reference/', 'docs.path', '/reference'],
    ['VERIFY_PATH', ' check ', 'verify.path', '/check'],
  ])('are the same with slashes at the ends and without: %s=%s', (name, written, path, value) => {
    const of = (config: unknown) =>
      path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
    expect(of(resolve({}, { [name]: written }).config)).toBe(value);
  });

  it('are seen to overlap however they are written', async () => {
    const faults = await faultsOf(() => resolve({ theme: { routePrefix: '/docs/' }, docs: { path: 'docs' } }));
    expect(faults).toEqual([expect.stringContaining('must not overlap with theme.routePrefix (/docs and /docs)')]);
  });

  it.each([
    ['the theme', { theme: { routePrefix: 'admin' } }, 'must not overlap with theme.routePrefix (/admin and /admin)'],
    [
      'the API',
      { console: { path: 'api/v1/admin' } },
      'must not overlap with portalApi.prefix (/api/v1/admin and /api/v1)',
    ],
    ['the reference', { docs: { path: 'admin/docs' } }, 'must not overlap with console.path (/admin/docs and /admin)'],
    [
      'the check of keys',
      { verify: { enabled: true, secret: 's'.repeat(32), path: 'admin' } },
      'overlap with console.path',
    ],
  ])('leave the console a path of its own, which is not that of %s', async (_what, definition, fault) => {
    const faults = await faultsOf(() => resolve(definition));
    expect(faults).toContainEqual(expect.stringContaining(fault));
    const off = resolve({ ...definition, console: { enabled: false } }).config;
    expect(off.console.enabled).toBe(false);
  });
});

describe('the documentation', () => {
  it('is off with the API that it describes', () => {
    const { docs } = resolve({ docs: { enabled: true } }, { PORTAL_API_ENABLED: 'false' }).config;
    expect(docs.enabled).toBe(false);
  });
});

describe('where a value comes from', () => {
  it('prefers flag, environment, .env, file and default in this order', () => {
    const definition = { server: { port: 1 } };
    const dotEnv = parseDotEnv('SERVER_PORT=2');
    expect(resolve({}).config.server.port).toBe(3000);
    expect(resolve(definition).config.server.port).toBe(1);
    expect(resolve(definition, {}, { dotEnv }).config.server.port).toBe(2);
    expect(resolve(definition, { SERVER_PORT: '3' }, { dotEnv }).config.server.port).toBe(3);
    const { config, sources } = resolve(definition, { SERVER_PORT: '3' }, { dotEnv, flags: { 'server.port': '4' } });
    expect(config.server.port).toBe(4);
    expect(sources).toMatchObject({ 'server.port': 'flag', 'app.key': 'environment', 'server.host': 'default' });
  });

  it('takes PORT when SERVER_PORT is absent', () => {
    expect(resolve({}, { PORT: '81' }).config.server.port).toBe(81);
    expect(resolve({}, { PORT: '81', SERVER_PORT: '82' }).config.server.port).toBe(82);
  });

  it('takes an empty variable for absent, but lets it empty a list', () => {
    const { config } = resolve({}, { SERVER_HOST: '', PORTAL_API_RBAC_BYPASS_ROLES: '' });
    expect(config.server.host).toBe('127.0.0.1');
    expect(config.portalApi.rbac.bypassRoles).toEqual([]);
  });

  it('reads every kind of value from text', () => {
    const { config } = resolve(
      {},
      {
        PORTAL_API_ACCESS_TTL: '20',
        PORTAL_API_REFRESH_TTL: '7',
        SESSION_IDLE: '45m',
        HTTP_BODY_LIMIT: '1mb',
        PORTAL_API_RBAC_ENABLED: 'no',
        PORTAL_API_RBAC_BYPASS_ROLES: 'root, owner',
        APP_TRUST_PROXY: 'false',
      },
    );
    expect(config.portalApi).toMatchObject({ accessTtl: 1200, refreshTtl: 604_800 });
    expect(config.session.idle).toBe(2700);
    expect(config.http.bodyLimit).toBe(1_048_576);
    expect(config.portalApi.rbac).toMatchObject({ enabled: false, bypassRoles: ['root', 'owner'] });
    expect(config.app.trustProxy).toBe(0);
  });

  it('derives what follows from other values', () => {
    const { config } = resolve({ server: { host: '0.0.0.0', port: 4000 }, app: { name: 'Acme, Inc.' } });
    expect(config.app.url).toBe('http://localhost:4000');
    expect(config.app.allowedHosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(config.mail.from).toBe('"Acme, Inc." <no-reply@localhost>');
    expect(config.verify.enabled).toBe(true);
    expect(config.docs.servers).toEqual(['/api/v1']);
  });

  it('freezes the result to its leaves and leaves the host’s own object alone', () => {
    const definition = { theme: { locales: ['en'] } };
    const { config } = resolve(definition);
    expect(Object.isFrozen(config.portalApi.rbac.permissions)).toBe(true);
    expect(Object.isFrozen(config.theme.locales)).toBe(true);
    expect(Object.isFrozen(definition.theme.locales)).toBe(false);
  });
});

describe('a definition with mistakes', () => {
  it('tells all of them at once, with path, variable, origin and fix', async () => {
    const definition = {
      portalApi: { acessTtl: 3 },
      portt: 1,
      gateway: { driver: 'locl' },
      limits: 7,
      http: { bodyLimit: 'abc' },
    };
    const faults = await faultsOf(() =>
      resolve(definition, { SERVER_PORT: '99999', PORTAL_API_RBAC_ENABLED: 'maybe' }),
    );
    expect(faults).toEqual([
      'portalApi.acessTtl (from portal.config.ts): is not a setting. Fix: did you mean portalApi.accessTtl?',
      'portt (from portal.config.ts): is not a setting. Fix: did you mean server.port?',
      'limits (from portal.config.ts): must be an object. Fix: write limits: { store: … }.',
      'server.port (SERVER_PORT, from the environment): must be a whole number from 0 to 65535, not 99999.',
      expect.stringMatching(
        /^http\.bodyLimit \(HTTP_BODY_LIMIT, from portal\.config\.ts\): must be a size such as .*, not "abc"\.$/,
      ),
      'portalApi.rbac.enabled (PORTAL_API_RBAC_ENABLED, from the environment): must be true or false, not "maybe".',
      'gateway.driver (GATEWAY_DRIVER, from portal.config.ts): must be one of local, apigee, not "locl". Fix: did you mean local?',
    ]);
  });

  it.each([
    [{ app: { trustProxy: true } }, 'app.trustProxy'],
    [{ app: { trustProxy: 1.5 } }, 'app.trustProxy'],
    [{ server: { port: '3000' } }, 'server.port'],
    [{ server: { port: null } }, 'server.port'],
    [{ http: { bodyLimit: 0 } }, 'http.bodyLimit'],
    [{ http: { bodyLimit: Number.NaN } }, 'http.bodyLimit'],
    [{ portalApi: { prefix: '/' } }, 'portalApi.prefix'],
    [{ portalApi: { prefix: 'api//v1' } }, 'portalApi.prefix'],
    [{ portalApi: { prefix: 1 } }, 'portalApi.prefix'],
    [{ portalApi: { adminPrefix: 'ad min' } }, 'portalApi.adminPrefix'],
    [{ theme: { routePrefix: '../portal' } }, 'theme.routePrefix'],
    [{ portalApi: { enabled: false }, theme: { routePrefix: 'api' } }, 'theme.routePrefix'],
    [{ portalApi: { cors: { origins: ['*'] } } }, 'portalApi.cors.origins'],
    [{ portalApi: { cors: { origins: ['https://a.example/path'] } } }, 'portalApi.cors.origins'],
    [{ portalApi: { cors: { origins: ['https://a.example,https://b.example'] } } }, 'portalApi.cors.origins'],
    [{ theme: { imageHosts: ['https://a.example;script-src'] } }, 'theme.imageHosts'],
    [{ theme: { imageHosts: ['https://*.example'] } }, 'theme.imageHosts'],
    [{ catalog: { tryItOrigins: ["https://'unsafe-inline'"] } }, 'catalog.tryItOrigins'],
    [{ portalApi: { pagination: { perPage: 50, maxPerPage: 20 } } }, 'portalApi.pagination.maxPerPage'],
    [{ portalApi: { accessTtl: '15 parsecs' } }, 'portalApi.accessTtl'],
    [{ accounts: { password: { minLength: 7 } } }, 'accounts.password.minLength'],
    [{ limits: { login: { maxConsecutive: 101 } } }, 'limits.login.maxConsecutive'],
    [{ docs: { contexts: ['everyone'] } }, 'docs.contexts'],
    [{ docs: { path: '/api/v1/docs' } }, 'docs.path'],
    [{ theme: { locale: 'fr' } }, 'theme.locale'],
    [{ session: { store: 'redis' } }, 'redis.url'],
    [{ limits: { store: 'redis' } }, 'redis.url'],
    [{ server: { workers: 2 }, limits: { store: 'memory' } }, 'limits.store'],
    [{ server: { workers: 0 }, session: { store: 'memory' } }, 'session.store'],
    [{ mail: { transport: 'smtp' } }, 'mail.url'],
    [{ gateway: { driver: 'apigee' } }, 'gateway.apigee.organization'],
    [{ app: { url: 'portal.example.com' } }, 'app.url'],
    [{ app: { url: 'https://portal.example.com/here' } }, 'app.url'],
    [{ authFlow: {} }, 'authFlow'],
  ])('refuses %j, naming %s', async (definition, path) => {
    const faults = await faultsOf(() => resolve(definition));
    expect(faults.map((fault) => fault.split(' ')[0])).toContain(path);
  });

  it.each([
    [{}, 'memory'],
    [{ server: { workers: 4 } }, 'database'],
    [{ redis: { url: 'redis://127.0.0.1:6379' } }, 'redis'],
    [{ redis: { url: 'redis://127.0.0.1:6379' }, limits: { store: 'database' } }, 'database'],
  ] as const)('counts the limits of %j in %s', (definition, store) => {
    expect(resolve(definition).config.limits.store).toBe(store);
  });

  it('knows the guards that ship for a context and those of the host, and names them when another is asked for', async () => {
    const guards = { office: () => ({}), api: () => ({}) };
    const named = (consumer: string, admin: string) => ({ guards, portalApi: { guards: { consumer, admin } } });
    expect(resolve(named('office', 'office')).config.portalApi.guards).toEqual({ consumer: 'office', admin: 'office' });
    expect(await faultsOf(() => resolve(named('admin', 'ofice')))).toEqual([
      'portalApi.guards.consumer (PORTAL_API_GUARDS_CONSUMER, from portal.config.ts): must be one of api, office, not "admin". Fix: add it to guards in portal.config.ts.',
      'portalApi.guards.admin (PORTAL_API_GUARDS_ADMIN, from portal.config.ts): must be one of admin, office, not "ofice". Fix: did you mean office?',
    ]);
    expect(await faultsOf(() => resolve({}, { PORTAL_API_GUARDS_ADMIN: 'sso' }))).toEqual([
      expect.stringContaining('must be one of admin, not "sso"'),
    ]);
    expect(
      await faultsOf(() => resolve({ guards: { office: 1 }, portalApi: { guards: { admin: 'office' } } })),
    ).toHaveLength(1);
  });

  it('lowers the records of a page to a lower maximum, unless both were asked for', async () => {
    const { pagination } = resolve({ portalApi: { pagination: { maxPerPage: 10 } } }).config.portalApi;
    expect(pagination).toEqual({ perPage: 10, maxPerPage: 10 });
    expect(resolve({}, { PORTAL_API_PAGINATION_MAX_PER_PAGE: '7' }).config.portalApi.pagination.perPage).toBe(7);
    expect(resolve({ portalApi: { pagination: { maxPerPage: 50 } } }).config.portalApi.pagination.perPage).toBe(15);
    expect(await faultsOf(() => resolve({ portalApi: { pagination: { perPage: 20, maxPerPage: 10 } } }))).toEqual([
      expect.stringContaining('must not be less than portalApi.pagination.perPage'),
    ]);
  });

  it('takes the options of a host’s own driver and of a module, and checks the latter', async () => {
    const definition = {
      gateway: { driver: 'kong', kong: { url: 'http://kong:8001' } },
      gatewayDrivers: { kong: () => ({}) },
      modules: [{ name: 'mfa', config: { issuer: { kind: 'text', default: 'Portal', description: 'Issuer.' } } }],
      mfa: { issuer: 'Acme' },
    };
    expect(resolve(definition).config).toMatchObject({
      gateway: { kong: { url: 'http://kong:8001' } },
      mfa: { issuer: 'Acme' },
    });
    expect(resolve(definition, { MFA_ISSUER: 'Env' }).config).toMatchObject({ mfa: { issuer: 'Env' } });
    expect(await faultsOf(() => resolve({ ...definition, mfa: { issuer: 3 } }))).toHaveLength(1);
    expect(await faultsOf(() => resolve({ ...definition, modules: [{ name: 'theme' }] }))).toHaveLength(2);
  });

  it('never prints a secret, not even one of the wrong type or inside a URL', async () => {
    const definition = {
      app: { key: 12345678 },
      redis: { url: 'http://u:canary@h' },
      portalApi: { jwtPreviousSecrets: ['canary', 7] },
    };
    const faults = (
      await faultsOf(() => resolve(definition, { APP_KEY: '', DATABASE_URL: 'mysql://u:canary@h' }))
    ).join('\n');
    expect(faults).toContain('app.key');
    expect(faults).toContain('redis.url');
    expect(faults).toContain('database.url');
    expect(faults).not.toMatch(/canary|12345678/);
    expect(faults).not.toContain(KEY);
    expect(faults).not.toContain(JWT_SECRET);
  });

  it('warns of a misspelt variable of .env', () => {
    expect(resolve({}, {}, { dotEnv: parseDotEnv('\nPORTAL_API_ACESS_TTL=3') }).warnings).toEqual([
      'PORTAL_API_ACESS_TTL (.env:2): is not a setting. Fix: did you mean PORTAL_API_ACCESS_TTL?',
    ]);
  });
});

describe('a .env file', () => {
  const fromText = (text: string) => faultsOf(() => resolve({}, {}, { dotEnv: parseDotEnv(text) }));

  it.each([
    ['SESSION_STORE=redsi', 'session.store (SESSION_STORE, from .env:2)', 'not "redsi". Fix: did you mean redis?'],
    ['THEME_ENABLED=ture', 'theme.enabled (THEME_ENABLED, from .env:2)', 'not "ture". Fix: did you mean true?'],
    ['SERVER_PORT=30oo', 'server.port (SERVER_PORT, from .env:2)', 'must be a whole number from 0'],
    ['PORT=x', 'server.port (SERVER_PORT, from PORT of .env:2)', 'must be a whole number'],
  ])('has the line of a wrong value told: %s', async (line, begin, rest) => {
    const [fault = '', ...others] = await fromText(`# mine\n${line}\n`);
    expect(others).toEqual([]);
    expect([fault.slice(0, begin.length), fault]).toEqual([begin, expect.stringContaining(rest)]);
  });

  it.each([
    ['APP_NAME Acme', '.env:2: is no setting. Fix: write APP_NAME=value, or # in front of a comment.'],
    ['APP_NAME: Acme', '.env:2: is no setting. Fix: write APP_NAME=value, or # in front of a comment.'],
    ['Acme rocks', '.env:2: is no setting. Fix: write NAME=value, or # in front of a comment.'],
    ['=Acme', '.env:2: is no setting. Fix: write NAME=value, or # in front of a comment.'],
  ])('has a broken line told: %s', (line, expected) => {
    const dotEnv = parseDotEnv(`\n${line}\nSERVER_PORT=4000`);
    const { warnings, config } = resolve({}, {}, { dotEnv });
    expect([warnings, config.server.port]).toEqual([[expected], 4000]);
  });

  it.each(['"', "'", '`'])(
    'has a quote that is never closed told, before it swallows the settings below (%s)',
    async (quote) => {
      const faults = await fromText(`APP_NAME=${quote}Acme\nSERVER_PORT=4000\nAPP_URL=http://a.example\n`);
      expect(faults).toEqual([
        expect.stringMatching(/^APP_NAME \(\.env:1\): has a quote that is never closed\. Fix: /),
      ]);
    },
  );

  it('may hold keys of several lines, comments, exports and Windows line ends', () => {
    const pem = '-----BEGIN KEY-----\nQUJD+abc/DEF=\nQQ==\n-----END KEY-----';
    const dotEnv = parseDotEnv(
      `# c\r\nexport APP_NAME='Acme' # ours\r\n\r\nSOME_KEY="${pem}"\r\n  SERVER_PORT = 4000\r\n`,
    );
    expect(dotEnv).toMatchObject({ faults: [], warnings: [], lines: { APP_NAME: 2, SOME_KEY: 4, SERVER_PORT: 8 } });
    const { config } = resolve({}, {}, { dotEnv });
    expect([config.app.name, config.server.port]).toEqual(['Acme', 4000]);
  });

  it('has what a missing secret was probably written as told with it, and no value of it', async () => {
    const env = { PORTAL_API_JWT_SECRET: '' };
    const dotEnv = parseDotEnv(`PORTAL_API_JWT_SECRT=${JWT_SECRET}\nAPP_KEY ${KEY}`);
    const faults = await faultsOf(() => resolve({}, env, { dotEnv }));
    expect(faults).toEqual([
      expect.stringMatching(/^portalApi\.jwtSecret \(PORTAL_API_JWT_SECRET, not set\): is required\. Fix: /),
      '.env:2: is no setting. Fix: write APP_KEY=value, or # in front of a comment.',
      'PORTAL_API_JWT_SECRT (.env:1): is not a setting. Fix: did you mean PORTAL_API_JWT_SECRET?',
    ]);
    expect(faults.join()).not.toContain(JWT_SECRET);
  });
});
