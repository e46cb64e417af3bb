import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = process.cwd();
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Violation {
  from: string;
  rule: { name: string };
}

/** The violations of a tree that has the project's rules beside its `src`, as `rule < file`. */
async function violationsIn(directory: string): Promise<string[]> {
  const run = promisify(execFile)(process.execPath, [cruiser, '--output-type', 'json', 'src'], {
    cwd: directory,
    maxBuffer: 64 * 2 ** 20,
  });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return [...new Set(summary.violations.map(({ rule, from }) => `${rule.name} < ${from.replace('src/', '')}`))].sort();
}

const ENTRY_POINTS = [
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
  'theme',
  'config',
  'modules/mfa',
  'modules/oidc',
  'testing',
  'gateway/contract-suite',
  ...['accounts', 'rbac', 'auth', 'catalog', 'apps', 'usage', 'site', 'audit-log'].map((name) => `domain/${name}`),
].map((room) => `${room}/index.ts`);

/** What stays allowed: each file with its imports. */
const ALLOWED: Record<string, string[]> = {
  'portal.ts': [
    './api/index.js',
    './domain/apps/index.js',
    './theme/index.js',
    './database/index.js',
    './jobs/index.js',
  ],
  'index.ts': ['./portal.js', './core/index.js'],
  'core/log.ts': ['pino'],
  'core/errors.ts': [],
  'database/models.ts': ['sequelize', '../core/index.js'],
  'database/config.ts': ['../core/index.js'],
  'database/egg.ts': ['./chicken.js'],
  'domain/apps/config.ts': ['../../core/index.js'],
  'config/tree.ts': ['../database/config.js', '../domain/apps/config.js', 'joi', '../core/index.js'],
  'http/server.ts': ['express', '../core/index.js'],
  'gateway/local/driver.ts': ['../../database/index.js', '../contract.js'],
  'gateway/contract.ts': ['../core/index.js'],
  'domain/apps/service.ts': ['../catalog/index.js', '../../gateway/index.js', '../../database/index.js', 'joi'],
  'domain/auth/tokens.ts': ['jsonwebtoken', '../rbac/index.js', '../accounts/index.js'],
  'domain/usage/writer.ts': ['../apps/index.js', '../catalog/index.js', '../../gateway/index.js'],
  'domain/audit-log/listener.ts': ['../apps/index.js', '../usage/index.js', '../site/index.js'],
  'api/apps.ts': ['../domain/apps/index.js', '../http/index.js', 'joi'],
  'cli/command.ts': [],
  'cli/prompts.ts': [],
  'cli/main.ts': [
    'commander',
    '../core/errors.js',
    'type ../portal.js',
    'lazy ../portal.js',
    'lazy execa',
    'lazy ../gateway/contract-suite/index.js',
  ],
  'shipped-drivers.ts': ['./core/errors.js', 'type ./gateway/index.js', 'lazy ./modules/mfa/driver.js'],
  'modules/mfa/driver.ts': ['../../core/errors.js', 'type ../../gateway/index.js', 'lazy ../../gateway/index.js'],
  'modules/mfa/command.ts': ['../../cli/command.js', '../../gateway/index.js'],
  'modules/mfa/steps.ts': ['../../index.js', '../../domain/auth/index.js', '../../http/index.js'],
};

/** What is refused: the rule, the file and its one import. */
const REFUSED: [rule: string, file: string, target: string][] = [
  ['no-cycle', 'database/chicken.ts', 'type ./egg.js'],
  ['room-core', 'core/reads-config.ts', '../config/index.js'],
  ['room-database', 'database/sends-mail.ts', '../mail/index.js'],
  ['room-http', 'http/knows-accounts.ts', '../domain/accounts/index.js'],
  ['room-domain', 'domain/apps/speaks-http.ts', '../../http/index.js'],
  ['room-api', 'api/asks-the-database.ts', '../database/index.js'],
  ['room-api', 'api/renders.ts', '../theme/index.js'],
  ['room-theme', 'theme/calls-rest.ts', '../api/index.js'],
  ['room-cli', 'cli/knows-domains.ts', 'lazy ../domain/apps/index.js'],
  ['room-cli', 'cli/borrows-a-fake.ts', 'lazy ../testing/index.js'],
  ['room-modules', 'modules/mfa/starts-a-job.ts', '../../jobs/index.js'],
  ['room-config', 'config/opens-a-door.ts', '../database/index.js'],
  ['room-gateway', 'gateway/builds-the-portal.ts', '../portal.js'],
  ['room-unknown', 'drawer/thing.ts', '../core/index.js'],
  ['domain-unknown', 'domain/billing/index.ts', '../../core/index.js'],
  ['domain-accounts', 'domain/accounts/looks-right.ts', '../apps/index.js'],
  ['domain-rbac', 'domain/rbac/looks-right.ts', '../auth/index.js'],
  ['domain-catalog', 'domain/catalog/looks-right.ts', 'type ../apps/index.js'],
  ['domain-site', 'domain/site/not-alone.ts', '../catalog/index.js'],
  ['domain-apps', 'domain/apps/reads-the-log.ts', '../audit-log/index.js'],
  ['domain-apps', 'domain/apps/counts-calls.ts', '../usage/index.js'],
  ['entry-point-of-a-room', 'domain/apps/through-the-window.ts', '../../database/models.js'],
  ['entry-point-of-a-domain', 'api/through-the-window.ts', '../domain/apps/service.js'],
  ['entry-point-between-domains', 'domain/apps/through-the-wall.ts', '../auth/tokens.js'],
  ['entry-point-from-the-root', 'index.ts', './http/server.js'],
  ['config-of-a-room', 'http/config.ts', './server.js'],
  ['mail-outbox-only', 'mail/mailer.ts', '../database/index.js'],
  ['gateway-local-only', 'gateway/remote-driver.ts', '../database/index.js'],
  ['module-alone', 'modules/oidc/borrows.ts', '../mfa/index.js'],
  ['root-without-cli-and-modules', 'portal.ts', './modules/mfa/index.js'],
  ['testing-for-tests', 'cli/gateway-probe.ts', 'type ../testing/index.js'],
  ['shipped-drivers', 'shipped-drivers.ts', './modules/mfa/index.js'],
  ['driver-declaration', 'modules/oidc/driver.ts', '../../gateway/index.js'],
  ['room-modules', 'modules/mfa/asks.ts', '../../cli/prompts.js'],
  ['cli-lazy', 'cli/eager.ts', '../portal.js'],
  ['cli-lazy', 'cli/eager-package.ts', 'execa'],
  ['no-drawer', 'mail/drawer.ts', './utils/strings.js'],
  ['npm-express', 'domain/apps/speaks-express.ts', 'type express'],
  ['npm-sequelize', 'api/speaks-sql.ts', 'sequelize'],
  ['npm-mysql2', 'jobs/speaks-mysql.ts', 'mysql2/promise'],
  ['npm-joi', 'gateway/validates.ts', 'joi'],
  ['npm-jsonwebtoken', 'api/signs.ts', 'jsonwebtoken'],
  ['npm-redis', 'http/speaks-redis.ts', 'redis'],
  ['npm-handlebars', 'api/fills-templates.ts', 'handlebars'],
  ['npm-commander', 'config/asks.ts', 'commander'],
  ['npm-pino', 'http/logs.ts', 'pino'],
  ['npm-jiti', 'cli/loads.ts', 'jiti'],
  ['npm-@photostructure/sqlite', 'jobs/opens-a-file.ts', '@photostructure/sqlite'],
  ['npm-without-owner', 'http/left-pads.ts', 'left-pad'],
  ['core-sqlite', 'jobs/speaks-sqlite.ts', 'node:sqlite'],
];

function importing(target: string, index: number): string {
  const [kind, path] = target.includes(' ') ? target.split(' ') : ['', target];
  if (kind === 'lazy') return `export const load${index} = () => import('${path}');`;
  return `${kind === 'type' ? 'import type' : 'import'} * as it${index} from '${path}';`;
}

describe('the import table', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'portalkit-imports-')));
  let found: string[];

  beforeAll(async () => {
    const files = new Map<string, string[]>(ENTRY_POINTS.map((file) => [file, []]));
    files.set('mail/utils/strings.ts', []);
    for (const [file, targets] of Object.entries(ALLOWED)) files.set(file, targets);
    for (const [, file, target] of REFUSED) files.set(file, [...(files.get(file) ?? []), target]);
    for (const [file, targets] of files) {
      mkdirSync(dirname(join(directory, 'src', file)), { recursive: true });
      writeFileSync(join(directory, 'src', file), [...targets.map(importing), 'export {};', ''].join('\n'));
    }
    for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json'])
      copyFileSync(join(root, name), join(directory, name));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    symlinkSync(realpathSync(join(root, 'node_modules')), join(directory, 'node_modules'));
    found = await violationsIn(directory);
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(REFUSED)('%s refuses src/%s to import %s', (rule, file) => {
    expect(found).toContain(`${rule} < ${file}`);
  });

  it.each(Object.keys(ALLOWED))('lets src/%s import what its row names', (file) => {
    const expected = REFUSED.filter(([, refused]) => refused === file).map(([rule]) => `${rule} < ${file}`);
    expect(found.filter((violation) => violation.endsWith(` < ${file}`))).toEqual(expected);
  });
});
