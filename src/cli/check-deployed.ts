import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedConfig } from '../config/index.js';
import { findClosest } from '../core/closest.js';
import { checkProxy } from './check-surroundings.js';
import { failure, pass, splitFault, warning, type Finding } from './doctor-finding.js';
import type { Deployed, DeployTargetName } from './project/deployed.js';

/** Seconds that a replica needs to stop, on top of waiting twice for its drain (docs/production.md). */
const LONGEST_END = 29;
const HEALTH = /\/health\/(?:live|ready)\/?$/;

/** All checks of `portal deploy:check`; they connect with nothing. */
export async function checkDeployed(cwd: string, target: DeployTargetName, deployed: Deployed): Promise<Finding[]> {
  return [
    ...checkFiles(target, deployed),
    ...(await checkSettings(cwd, target, deployed)),
    ...(await checkImage(cwd, deployed)),
  ];
}

function checkFiles(target: DeployTargetName, { missing, texts }: Deployed): Finding[] {
  const files =
    missing.length === 0
      ? pass('files', `${texts.size} are there`)
      : failure(
          'files',
          `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
          `portal publish ${target}`,
        );
  const left = [...texts].flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) => (/\bexample\.com\b/.test(line) ? [`${path}:${at + 1}`] : [])),
  );
  if (left.length === 0) return [files, pass('examples', 'none is left')];
  const places = left.slice(0, 5).join(', ') + (left.length > 5 ? ` and ${left.length - 5} more` : '');
  return [files, failure('examples', `example.com stands in ${places}`, 'fill in your own addresses')];
}

/** Well-formed secrets in place of the real ones, so that everything else can be checked. */
function standIns(): Record<string, string> {
  const secret = () => randomBytes(48).toString('base64url');
  return {
    ...{
      APP_KEY: `base64:${randomBytes(32).toString('base64')}`,
      PORTAL_API_JWT_SECRET: secret(),
      VERIFY_SECRET: secret(),
    },
    ...{ APP_URL: 'https://portal.invalid', MAIL_URL: 'smtp://mail.invalid:587' },
    ...{
      DATABASE_URL: 'mysql://portal:secret@database.invalid:3306/portal',
      REDIS_URL: 'rediss://:secret@redis.invalid:6379',
    },
  };
}

async function checkSettings(cwd: string, target: DeployTargetName, deployed: Deployed): Promise<Finding[]> {
  const [{ loadConfig }, { ConfigurationError }] = await Promise.all([
    import('../config/index.js'),
    import('../core/errors.js'),
  ]);
  const { settings, elsewhere } = deployed;
  const stood = Object.entries(standIns()).filter(([name]) => elsewhere.includes(name));
  const env = { ...Object.fromEntries(stood), ...settings };
  const fix = 'write them into a file that only you read, and name it with --env-file, to have them checked, too';
  const apart = elsewhere.length === 0 ? [] : [pass('elsewhere', `${elsewhere.join(', ')}: ${fix}`)];
  try {
    const loaded = await loadConfig({ cwd, env, withoutDotEnv: true });
    const sound =
      loaded.config.app.env === 'production'
        ? []
        : [warning('settings', `app.env is ${loaded.config.app.env}`, 'set APP_ENV to production')];
    const unsafe = loaded.warnings.map((text) => {
      const [message, mend = 'see docs/configuration.md'] = splitFault(text);
      return warning('settings', message, mend);
    });
    const found = [...sound, ...unsafe];
    return [
      ...(found.length === 0 ? [pass('settings', 'complete, no unsafe value')] : found),
      ...checkNames(loaded, settings),
      ...apart,
      checkProxy(loaded.config),
      checkReplicas(loaded, deployed),
      checkPatience(loaded, deployed),
      checkHealth(loaded, deployed, target),
    ];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...error.faults.map((fault) => failure('settings', ...splitFault(fault))), ...apart];
  }
}

/** Names that the portal has ever read keep working; any other name has no effect. */
function checkNames({ options }: LoadedConfig, settings: Deployed['settings']): Finding[] {
  const known = options.flatMap(({ env }) => env);
  const slips = Object.keys(settings).flatMap((name) => {
    const near = known.includes(name) ? undefined : findClosest(name, known);
    return near === undefined || name === 'NODE_ENV'
      ? []
      : [warning('names', `${name} is not a setting`, `did you mean ${near}?`)];
  });
  return slips.length > 0 ? slips : [pass('names', 'each is known')];
}

function checkReplicas({ config: { database, session, limits } }: LoadedConfig, { replicas }: Deployed): Finding {
  if (replicas < 2) return pass('replicas', 'one');
  const alone = [
    ...(database.url.startsWith('sqlite:') ? ['the SQLite file'] : []),
    ...(session.store === 'memory' ? ['sessions'] : []),
    ...(limits.store === 'memory' ? ['limits'] : []),
  ];
  if (alone.length === 0) return pass('replicas', `${replicas} share database, sessions and limits`);
  const message = `${replicas} replicas, each with ${alone.join(', ')} of its own`;
  return failure(
    'replicas',
    message,
    'use MySQL or MariaDB, and Redis or the database for sessions and limits; or run one replica',
  );
}

function checkPatience({ config: { server } }: LoadedConfig, { patience }: Deployed): Finding {
  const needed = 2 * server.drainDelay + LONGEST_END;
  if (patience === undefined)
    return warning('patience', 'no file says how long the target waits', `give it ${needed} seconds`);
  if (patience >= needed) return pass('patience', `${patience} seconds, of which it takes ${needed} at most`);
  const message = `${patience} seconds: a replica may take ${needed} until the requests that run have ended`;
  return failure('patience', message, `give it ${needed}, or lower SERVER_DRAIN_DELAY`);
}

function checkHealth({ config: { portalApi } }: LoadedConfig, { texts }: Deployed, target: DeployTargetName): Finding {
  const asked = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/\/[\w/-]+/g)]
      .filter(([whole]) => HEALTH.test(whole))
      .map(([whole]) => ({ path, whole, prefix: whole.replace(HEALTH, '') })),
  );
  const wrong = asked.find(({ prefix }) => prefix !== portalApi.prefix);
  if (wrong)
    return failure(
      'health',
      `${wrong.path} asks ${wrong.whole}`,
      `the portal answers below ${portalApi.prefix}/health`,
    );
  const isNeeded = target !== 'systemd';
  if (asked.length === 0 && isNeeded)
    return warning('health', 'nothing asks for it', `ask ${portalApi.prefix}/health/ready`);
  return pass(
    'health',
    asked.length === 0 ? 'systemd sees whether the process lives' : `asked for below ${portalApi.prefix}/health`,
  );
}

/** Checks that the folder has what a build needs; no container engine is called. */
async function checkImage(cwd: string, { texts }: Deployed): Promise<Finding[]> {
  if (!texts.has('Dockerfile')) return [];
  const ignored = await readFile(join(cwd, '.dockerignore'), 'utf8').catch(() => '');
  const lines = ignored.split('\n').map((line) => line.trim());
  const taken = ['.env', 'node_modules'].filter((name) => !lines.includes(name) && !lines.includes(`**/${name}`));
  const manifest = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8').catch(() => '{}')) as Manifest;
  const own = manifest.dependencies?.['portalkit'] ?? '';
  const tarball = own.startsWith('file:') ? own.slice('file:'.length) : undefined;
  const faults = [
    ...(existsSync(join(cwd, 'package-lock.json'))
      ? []
      : [failure('image', 'there is no package-lock.json for npm ci', 'npm install')]),
    ...(taken.length === 0
      ? []
      : [
          failure(
            'image',
            `.dockerignore does not name ${taken.join(' and ')}`,
            'add it: the image would have secrets of this machine',
          ),
        ]),
    ...(tarball === undefined || existsSync(join(cwd, tarball))
      ? []
      : [
          failure(
            'image',
            `${tarball} is not there`,
            'make portalkit a dependency of the registry, or bring the file back',
          ),
        ]),
  ];
  return faults.length > 0 ? faults : [pass('image', 'has what building it takes')];
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}
