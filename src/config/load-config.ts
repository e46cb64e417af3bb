import { basename, resolve } from 'node:path';
import { shippedDrivers } from '../shipped-drivers.js';
import { NO_DOT_ENV, readDotEnv } from './dot-env.js';
import { findConfigFile, importConfigFile } from './host-file.js';
import { resolveConfig, type ResolvedConfig, type Variables } from './resolve-config.js';
import type { Source } from './faults.js';
import { formatValue } from './option-value.js';
import { maskOption } from './secrets.js';

export interface LoadOptions {
  /** Folder of the host project; the working directory by default. */
  readonly cwd?: string;
  /** Replaces the environment of the process: for tests, and for that of another machine. */
  readonly env?: Variables;
  /** Leaves out `.env`, which another machine does not have. */
  readonly withoutDotEnv?: boolean;
  /** Option path → text from the command line; beats everything. */
  readonly flags?: Variables;
}

export interface LoadedConfig extends ResolvedConfig {
  /** Absolute folder for relative paths of the configuration. */
  readonly root: string;
  /** Absolute path of `portal.config.ts` or `.js`; undefined when the folder has none. */
  readonly file: string | undefined;
}

/**
 * Reads `.env` and `portal.config.ts` (or `.js`, which wins) of a host project and resolves the configuration.
 * Precedence: flags, environment, `.env`, file, default.
 * @throws ConfigurationError with every fault at once
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const { cwd = '.', env = process.env, flags, withoutDotEnv = false } = options;
  const root = resolve(cwd);
  const file = findConfigFile(root);
  const definition = file === undefined ? {} : await importConfigFile(file);
  const fileName = file === undefined ? undefined : basename(file);
  const drivers = await shippedDrivers();
  const dotEnv = withoutDotEnv ? NO_DOT_ENV : readDotEnv(root);
  return { ...resolveConfig({ definition, fileName, drivers, env, dotEnv, flags }), root, file };
}

/** Whether unexpected errors should show their stack (`PORTAL_DEBUG`). */
export function isDebugging(env: Variables = process.env): boolean {
  return !['', '0', 'false', undefined].includes(env['PORTAL_DEBUG']);
}

/** One effective setting, safe to show. */
export interface DescribedSetting {
  readonly path: string;
  readonly env: string;
  /** Masked when secret. */
  readonly value: unknown;
  /** The value in its written form: `15m` for 900 seconds. */
  readonly text: string;
  readonly source: Source;
}

/** The effective configuration for display. @throws ConfigurationError like {@link loadConfig} */
export async function describeConfig(
  options: LoadOptions,
): Promise<{ settings: DescribedSetting[]; warnings: readonly string[] }> {
  const { config, sources, options: listed, warnings } = await loadConfig(options);
  const settings = listed.map(({ path, env, option }) => {
    const value = maskOption(option, valueAt(config, path));
    return { path, env: env[0], value, text: formatValue(option, value), source: sources[path] ?? 'default' };
  });
  return { settings, warnings };
}

function valueAt(config: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((section, name) => (section as Record<string, unknown> | undefined)?.[name], config);
}

/** Secrets of webhooks in PORTAL_WEBHOOK_SECRET, for `webhooks:listen`; several while one is replaced. */
export function readWebhookSecrets(env: Variables = process.env): string[] {
  return (env['PORTAL_WEBHOOK_SECRET'] ?? '').split(/[\s,]+/).filter((one) => one !== '');
}

/** A key for calls of `workflow:run`, from the variable that its user names; undefined where there is none. */
export function readKey(name: string, env: Variables = process.env): string | undefined {
  return env[name]?.trim();
}

/** What a portal as code takes from the environment: the service token PORTAL_TOKEN, and what files name with !env. */
export function readCodeEnvironment(env: Variables = process.env): {
  readonly token: string;
  readonly variables: Variables;
} {
  return { token: (env['PORTAL_TOKEN'] ?? '').trim(), variables: { ...env } };
}

/** The commit and the address of the run that a pipeline works for: GitHub, GitLab and Jenkins say them. */
export function readPipeline(env: Variables = process.env): { readonly commit?: string; readonly source?: string } {
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const commit = env['GITHUB_SHA'] ?? env['CI_COMMIT_SHA'] ?? env['GIT_COMMIT'];
  const ofGitHub = host && repository && run ? `${host}/${repository}/actions/runs/${run}` : undefined;
  const source = ofGitHub ?? env['CI_JOB_URL'] ?? env['BUILD_URL'];
  return { ...(commit && { commit }), ...(source && /^https?:\/\/\S+$/.test(source) && { source }) };
}
