import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig, resolveConfig, type LoadedConfig, type Variables } from '../config/index.js';
import { silentLogger, type Logger } from '../core/index.js';
import { assemblePortal } from '../open-portal.js';
import type { Portal } from '../portal.js';
import { shippedDrivers } from '../shipped-drivers.js';
import { FakeClock } from './fake-clock.js';

export interface TestPortalOptions {
  /** Folder of the host project; the working directory by default. */
  readonly cwd?: string;
  /** Replaces what the project's `portal.config.ts` exports. */
  readonly definition?: object;
  /** Setting → value as text, overriding file and environment: `{ 'accounts.verifyEmail': 'true' }`. */
  readonly settings?: Variables;
  /** Stands still unless the test advances it. */
  readonly clock?: FakeClock;
  /** Silent by default. */
  readonly logger?: Logger;
}

export interface ApiCall {
  /** Access token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or else the text. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** A portal on a free port with a temporary database. */
export interface TestPortal {
  readonly portal: Portal;
  readonly clock: FakeClock;
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Sends a request to the REST API. @param path below the API prefix */
  api(method: string, path: string, call?: ApiCall): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

/**
 * Starts the portal of a host project, or of a definition, for a test: with a migrated SQLite file, secrets of its own, the
 * local gateway, mails written to files, and a clock that stands still. `settings` overrides all of that.
 */
export async function startTestPortal(options: TestPortalOptions = {}): Promise<TestPortal> {
  const { clock = new FakeClock(), logger = silentLogger } = options;
  const folder = await mkdtemp(join(tmpdir(), 'portalkit-test-'));
  const portal = assemblePortal(await loadTestConfig(options, folder), { clock, logger });
  await portal.migrator.up();
  const server = await portal.listen();
  const url = `http://127.0.0.1:${server.address.port}`;
  return {
    ...{ portal, clock, url },
    api: (method, path, call) => request(`${url}${portal.config.portalApi.prefix}${path}`, method, call),
    stop: async () => {
      await server.close();
      await portal.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function loadTestConfig(options: TestPortalOptions, folder: string): Promise<LoadedConfig> {
  const { cwd = '.', definition, settings } = options;
  const flags = { ...throwaway(folder), ...settings };
  if (definition === undefined) return loadConfig({ cwd, flags });
  return {
    ...resolveConfig({ definition, drivers: await shippedDrivers(), flags, env: {} }),
    root: resolve(cwd),
    file: undefined,
  };
}

function throwaway(folder: string): Record<string, string> {
  return {
    'app.env': 'test',
    'app.key': `base64:${randomBytes(32).toString('base64')}`,
    'portalApi.jwtSecret': randomBytes(48).toString('base64url'),
    'server.host': '127.0.0.1',
    'server.port': '0',
    'app.url': 'http://127.0.0.1:0',
    'database.url': `sqlite:${join(folder, 'test.sqlite')}`,
    'session.store': 'database',
    'gateway.driver': 'local',
    'mail.transport': 'file',
    'mail.directory': join(folder, 'mail'),
  };
}

async function request(url: string, method: string, { token, body, headers }: ApiCall = {}): Promise<ApiAnswer> {
  const response = await fetch(url, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseAnswer(text) };
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
