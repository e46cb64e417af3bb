/**
 * The import table of docs/architecture.md as rules. Rooms meet only at their entry points (`index.ts`, and `config.ts` for the
 * configuration), packages have owners, and nothing goes round in a circle, types included.
 * `test/house/import-table.test.ts` shows that each rule refuses what it is for.
 */

const rooms = [
  'core',
  'database',
  'mail',
  'http',
  'cache',
  'limits',
  'jobs',
  'outbound',
  'gateway',
  'api',
  'openapi',
  'agents',
  'theme',
  'console',
  'templates',
  'observability',
  'as-code',
];

/** What a command is declared with: drivers and modules bring commands of `portal`. */
const commandDeclarations = ['cli/command.ts', 'cli/errors.ts', 'cli/ui.ts'];

/** Room → the places outside it that it may import. `portal.ts` and `index.ts` are files of src itself. */
const mayImport = {
  core: [],
  database: ['core'],
  templates: ['core'],
  mail: ['core', 'database', 'templates'],
  http: ['core'],
  cache: ['core', 'database'],
  limits: ['core', 'database', 'cache'],
  jobs: ['core', 'database'],
  outbound: ['core'],
  observability: ['core'],
  gateway: ['core', 'database', 'cli/command.ts'],
  domain: ['core', 'database', 'gateway', 'mail', 'cache', 'limits', 'outbound'],
  api: ['http', 'core', 'domain'],
  agents: ['http', 'core', 'domain'],
  theme: ['agents', 'http', 'core', 'domain', 'templates'],
  console: ['theme', 'http', 'core', 'domain', 'templates'],
  openapi: ['api', 'core'],
  'as-code': ['api', 'http', 'openapi', 'domain', 'core'],
  modules: ['index.ts', 'http', 'core', 'database', 'mail', 'domain', 'gateway', ...commandDeclarations],
  config: ['core', 'shipped-drivers.ts'],
  composition: [...rooms, 'domain', 'config', 'shipped-drivers.ts'],
  testing: [...rooms, 'domain', 'config', 'portal.ts', 'open-portal.ts', 'shipped-drivers.ts'],
  cli: [
    'portal.ts',
    'open-portal.ts',
    'shipped-drivers.ts',
    'config',
    'database',
    'gateway',
    'openapi',
    'core',
    'observability',
    'as-code',
  ],
};

/** Domain → the domains it may import. What points the other way is an event listener in the right-hand domain. */
const domainOrder = {
  accounts: [],
  rbac: ['accounts'],
  auth: ['accounts', 'rbac'],
  catalog: ['accounts', 'rbac', 'auth'],
  content: ['catalog'],
  apps: ['accounts', 'rbac', 'auth', 'catalog'],
  teams: ['accounts', 'rbac', 'auth', 'catalog', 'apps'],
  usage: ['accounts', 'rbac', 'auth', 'catalog', 'apps'],
  site: [],
  search: ['accounts', 'rbac', 'auth', 'catalog', 'content'],
  notifications: ['accounts', 'rbac', 'auth', 'catalog', 'apps', 'teams', 'usage', 'site'],
  'audit-log': ['accounts', 'rbac', 'auth', 'catalog', 'apps', 'teams', 'usage', 'site'],
  webhooks: ['accounts', 'rbac', 'auth', 'catalog'],
  console: ['accounts', 'rbac', 'auth', 'catalog'],
};

/** npm package → the places that own it. A package that is not here has no owner and may not be imported. */
const npmOwners = {
  pino: ['core'],
  'lru-cache': ['core'],
  sequelize: ['database'],
  mysql2: ['database'],
  '@photostructure/sqlite': ['database'],
  express: ['http'],
  cookie: ['http'],
  joi: ['config', 'domain', 'api', 'http', 'console', 'modules'],
  jsonwebtoken: ['domain/auth', 'modules/apigee'],
  '@node-rs/argon2': ['domain/accounts'],
  '@node-rs/bcrypt': ['domain/accounts'],
  '@zxcvbn-ts/language-common': ['domain/accounts'],
  yaml: ['domain/catalog', 'domain/content', 'openapi', 'as-code', 'config', 'cli'],
  redis: ['cache'],
  'prom-client': ['observability'],
  '@opentelemetry/api': ['observability'],
  'express-session': ['theme'],
  'connect-redis': ['theme'],
  'csv-parse': ['domain/console'],
  'ipaddr.js': ['core'],
  handlebars: ['templates'],
  'markdown-it': ['theme', 'domain/catalog', 'domain/content'],
  graphql: ['domain/catalog'],
  nodemailer: ['mail'],
  '@redocly/cli': ['openapi'],
  commander: ['cli'],
  diff: ['cli'],
  '@clack/prompts': ['cli'],
  execa: ['cli', 'openapi'],
  jiti: ['config'],
  otplib: ['modules/mfa'],
  uqr: ['modules/mfa'],
  'openid-client': ['modules/oidc'],
  '@modelcontextprotocol/server': ['agents/mcp-sdk.ts'],
};

/** Files of core that load no package, open to everybody: the command line and hosts start with them alone. */
const lightEntryPoints = '^src/core/(closest|errors|manifest|option)[.]ts$';

/** An entry point of its own for who runs the contract of gateways; the room itself need not load it. */
const contractSuite = '^src/gateway/contract-suite/index[.]ts$';

const place = (name) => (name.endsWith('.ts') ? `src/${name.replace('.', '[.]')}$` : `src/${name}/`);
const anyOf = (names) => names.map((name) => `^${place(name)}`);
/** A package as the resolver names it: installed, its types, or (not installed) by its bare name. */
const npm = (name) => `(^|node_modules/)(@types/)?${name.replace('/', '[/]')}($|/)`;

const roomRules = Object.entries(mayImport).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import ${allowed.join(', ') || 'nothing'} (docs/architecture.md, "Who may import whom").`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${room}/`,
      ...anyOf(allowed),
      ...(room === 'config' ? ['^src/[^/]+/config[.]ts$', '^src/domain/[^/]+/config[.]ts$'] : []),
    ],
  },
}));

const domainRules = Object.entries(domainOrder).map(([domain, allowed]) => ({
  name: `domain-${domain}`,
  comment: `domain/${domain} may import ${allowed.join(', ') || 'no other domain'}; let the other side listen to an event.`,
  severity: 'error',
  from: { path: `^src/domain/${domain}/` },
  to: { path: '^src/domain/', pathNot: [`^src/domain/${domain}/`, ...allowed.map((name) => `^src/domain/${name}/`)] },
}));

const ownerRules = Object.entries(npmOwners).map(([name, owners]) => ({
  name: `npm-${name}`,
  comment: `${name} belongs to ${owners.map((owner) => `src/${owner}`).join(', ')}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: anyOf(owners) },
  to: { path: npm(name) },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Files that need each other are one file, or there is a third one to find. Types count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...roomRules,
    {
      name: 'room-unknown',
      comment: 'A new folder of src needs a row in the import table.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: anyOf(Object.keys(mayImport)) },
      to: {},
    },
    ...domainRules,
    {
      name: 'domain-unknown',
      comment: 'A new domain needs a place in the order of domains.',
      severity: 'error',
      from: { path: '^src/domain/[^/]+/', pathNot: Object.keys(domainOrder).map((name) => `^src/domain/${name}/`) },
      to: {},
    },
    {
      name: 'entry-point-of-a-room',
      comment: 'Import the entry point (index.ts) of another room; config.ts is there for src/config.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/[^/]+/',
        pathNot: [
          '^src/$1/',
          '^src/[^/]+/(index|config)[.]ts$',
          '^src/(domain|modules|composition)/',
          lightEntryPoints,
          contractSuite,
          ...anyOf(commandDeclarations),
        ],
      },
    },
    {
      name: 'entry-point-of-a-domain',
      comment:
        'Import the entry point (index.ts) of a domain, or services.ts, the type of all services; never a file behind them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/domain/' },
      to: { path: '^src/domain/', pathNot: ['^src/domain/[^/]+/(index|config)[.]ts$', '^src/domain/services[.]ts$'] },
    },
    {
      name: 'entry-point-between-domains',
      comment: 'Import the entry point (index.ts) of another domain, never a file behind it.',
      severity: 'error',
      from: { path: '^src/domain/([^/]+)/' },
      to: {
        path: '^src/domain/[^/]+/',
        pathNot: ['^src/domain/$1/', '^src/domain/[^/]+/index[.]ts$'],
      },
    },
    {
      name: 'entry-point-from-the-root',
      comment: 'portal.ts and index.ts use the entry points of the rooms too.',
      severity: 'error',
      from: { path: '^src/[^/]+[.]ts$' },
      to: {
        path: '^src/[^/]+/',
        pathNot: ['^src/[^/]+/(index|config)[.]ts$', '^src/(domain|modules|composition)/', lightEntryPoints],
      },
    },
    {
      name: 'composition-of-the-portal',
      comment: 'Services are built by portal.ts, with src/composition/; nothing else builds them or asks for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(composition/|portal[.]ts$)' },
      to: { path: '^src/composition/' },
    },
    {
      name: 'config-of-a-room',
      comment: 'The config.ts of a room is read before anything runs: it imports core alone.',
      severity: 'error',
      from: { path: '^src/.+/config[.]ts$', pathNot: '^src/config/' },
      to: { pathNot: ['^src/core/'] },
    },
    {
      name: 'mail-outbox-only',
      comment: 'Only the outbox of mail knows the database; mailers send.',
      severity: 'error',
      from: { path: '^src/mail/', pathNot: '^src/mail/(outbox|index)' },
      to: { path: '^src/database/' },
    },
    {
      name: 'gateway-local-only',
      comment: 'Only the local gateway keeps tables; elsewhere the type of the database may be named, to hand it on.',
      severity: 'error',
      from: { path: '^src/gateway/', pathNot: '^src/gateway/local/' },
      to: { path: '^src/database/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'module-alone',
      comment: 'Deleting a module must leave the others whole.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'root-without-cli-and-modules',
      comment: 'portal.ts and index.ts import neither the command line nor a module; modules are handed in.',
      severity: 'error',
      from: { path: '^src/[^/]+[.]ts$', pathNot: '^src/shipped-drivers[.]ts$' },
      to: { path: '^src/(cli|modules|testing)/' },
    },
    {
      name: 'testing-for-tests',
      comment: 'What hosts test with serves nobody in production: only tests and src/testing import it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'shipped-drivers',
      comment: 'Every start reads the table of drivers: it names the driver.ts of modules, and loads no room.',
      severity: 'error',
      from: { path: '^src/shipped-drivers[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/modules/[^/]+/driver[.]ts$', '^src/gateway/index[.]ts$', lightEntryPoints] },
    },
    {
      name: 'driver-declaration',
      comment:
        'Every start reads the driver.ts of a module: beside the options it imports types, the rest with import().',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/driver[.]ts$' },
      to: {
        path: '^src/',
        pathNot: ['^src/modules/$1/options[.]ts$', lightEntryPoints],
        dependencyTypesNot: ['type-only'],
        dynamic: false,
      },
    },
    {
      name: 'cli-lazy',
      comment: 'Load heavy rooms and packages inside run() with import(): `portal --help` must stay quick.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: [
          '^src/(config|database|gateway|openapi|testing)/',
          '^src/(portal|open-portal|index)[.]ts$',
          npm('execa'),
        ],
        dependencyTypesNot: ['type-only'],
        dynamic: false,
      },
    },
    {
      name: 'no-drawer',
      comment: 'A utils or helpers folder is a drawer: put the function beside what it serves.',
      severity: 'error',
      from: {},
      to: {
        path: [
          '^(?:src|test|scripts)/.*/(?:utils|helpers)(?:/|[.]ts$)',
          '^(?:src|test|scripts)/(?:utils|helpers)(?:/|[.]ts$)',
        ],
      },
    },
    ...ownerRules,
    {
      name: 'npm-without-owner',
      comment: 'Give the package a row in npmOwners (.dependency-cruiser.cjs) and the reason in the commit.',
      severity: 'error',
      from: { path: '^src/' },
      to: { pathNot: ['^src/', '^node:', ...Object.keys(npmOwners).map(npm)], dependencyTypesNot: ['core'] },
    },
    {
      name: 'core-sqlite',
      comment: 'The SQLite provider is chosen in src/database.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'product-without-tests',
      comment: 'The product does not know its tests, scripts or benchmarks.',
      severity: 'error',
      from: { path: '^(src|bin)/' },
      to: { path: '^(test|scripts|bench|examples)/' },
    },
  ],
  options: {
    // Follow type-only imports as well, which compile to nothing.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^dist/', '^dist-test/', '^stubs/', '^templates/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
