import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

type Settings = Record<string, string>;

/** What the files of a deployment target say about the portal that runs there. */
export interface Deployed {
  /** Path in the project → text without comments, for the files that exist. */
  readonly texts: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
  /** Settings as the process gets them. */
  readonly settings: Readonly<Settings>;
  /** Names of settings whose values exist only at the target. */
  readonly elsewhere: readonly string[];
  readonly replicas: number;
  /** Seconds between the signal to stop and the kill; undefined if no file says. */
  readonly patience: number | undefined;
}

interface Read {
  readonly settings: Settings;
  readonly elsewhere: readonly string[];
}

interface DeployTarget {
  /** The first one shows that the project has this target; the one at index `settings` holds the settings. */
  readonly files: readonly string[];
  readonly settings: string;
  readonly read: (text: string, secrets: string) => Read | Promise<Read>;
  /** File that names, or holds, the secrets. */
  readonly secrets?: readonly string[];
  readonly patience: RegExp;
  readonly replicas?: RegExp;
}

/** Set with `fly secrets`, as the comment in fly.toml asks. */
const AT_FLY = ['APP_KEY', 'PORTAL_API_JWT_SECRET', 'VERIFY_SECRET', 'DATABASE_URL', 'REDIS_URL', 'MAIL_URL'];
const GRACE = /terminationGracePeriodSeconds: (\d+)/;

export const DEPLOY_TARGETS = {
  docker: {
    files: ['compose.yaml', 'deploy/portal.env', 'deploy/nginx.conf', 'Dockerfile'],
    settings: 'deploy/portal.env',
    read: readVariables,
    patience: /stop_grace_period: (\d+)s/,
    replicas: /<<: \*replica/g,
  },
  kubernetes: {
    files: [
      ...['deploy/kubernetes/deployment.yaml', 'deploy/kubernetes/configmap.yaml', 'deploy/kubernetes/ingress.yaml'],
      ...['deploy/kubernetes/horizontal-pod-autoscaler.yaml', 'Dockerfile'],
    ],
    settings: 'deploy/kubernetes/configmap.yaml',
    secrets: ['deploy/kubernetes/secret.yaml', 'deploy/kubernetes/secret.example.yaml'],
    read: async (text, secrets) => withSecrets(await yamlOf<{ data?: Settings }>(text), secrets, ({ data }) => data),
    patience: GRACE,
    replicas: /(?:minReplicas|^ {2}replicas): (\d+)/m,
  },
  helm: {
    files: ['deploy/helm/values.yaml', 'deploy/helm/templates/deployment.yaml', 'Dockerfile'],
    settings: 'deploy/helm/values.yaml',
    secrets: ['deploy/helm/secret.yaml', 'deploy/helm/secret.example.yaml'],
    read: async (text, secrets) =>
      withSecrets(await yamlOf<{ host: string; settings?: Settings }>(text), secrets, ({ host, settings }) => ({
        APP_URL: `https://${host}`,
        ...settings,
      })),
    patience: GRACE,
    replicas: /^ {2}min: (\d+)/m,
  },
  systemd: {
    files: ['deploy/systemd/*.service', 'deploy/systemd/portal.env'],
    settings: 'deploy/systemd/portal.env',
    read: readVariables,
    patience: /TimeoutStopSec=(\d+)/,
  },
  fly: {
    files: ['fly.toml', 'Dockerfile'],
    settings: 'fly.toml',
    read: (text) => ({ settings: readTomlTable(text, 'env'), elsewhere: AT_FLY }),
    patience: /kill_timeout = "?(\d+)/,
    replicas: /min_machines_running = (\d+)/,
  },
  render: {
    files: ['render.yaml', 'Dockerfile'],
    settings: 'render.yaml',
    read: readBlueprint,
    patience: /maxShutdownDelaySeconds: (\d+)/,
    replicas: /numInstances: (\d+)/,
  },
  railway: {
    files: ['railway.json', 'deploy/railway.env', 'Dockerfile'],
    settings: 'deploy/railway.env',
    read: (text) => {
      const { settings } = readVariables(text);
      // Railway fills these in: ${{MySQL.MYSQL_URL}}
      const elsewhere = Object.keys(settings).filter((name) => settings[name]?.includes('${{'));
      return { settings: without(settings, elsewhere), elsewhere };
    },
    patience: /"drainingSeconds": (\d+)/,
    replicas: /"numReplicas": (\d+)/,
  },
} as const satisfies Record<string, DeployTarget>;
export type DeployTargetName = keyof typeof DEPLOY_TARGETS;

/** The targets whose files the project has. */
export function targetsOf(cwd: string): DeployTargetName[] {
  const names = Object.keys(DEPLOY_TARGETS) as DeployTargetName[];
  return names.filter((name) => existsSync(join(cwd, DEPLOY_TARGETS[name].files[0].replace('/*.service', ''))));
}

/** Reads what the target would run with. @param extra settings that the caller knows, which win */
export async function readDeployed(cwd: string, name: DeployTargetName, extra: Settings): Promise<Deployed> {
  const target: DeployTarget = DEPLOY_TARGETS[name];
  const texts = new Map<string, string>();
  const missing: string[] = [];
  for (const pattern of target.files) {
    const path = await findUnit(cwd, pattern);
    const text = await readFile(join(cwd, path), 'utf8').catch(() => undefined);
    if (text !== undefined) texts.set(path, text.replace(/^[ \t]*#.*$/gm, ''));
    else if (path !== target.settings || Object.keys(extra).length === 0) missing.push(path);
  }
  const secrets = target.secrets?.find((path) => existsSync(join(cwd, path)));
  const secretText = secrets === undefined ? '' : await readFile(join(cwd, secrets), 'utf8');
  const { settings, elsewhere } = await target.read(texts.get(target.settings) ?? '', secretText);
  const whole = [...texts.values()].join('\n');
  const found = target.replicas && whole.match(target.replicas);
  const patience = target.patience.exec(whole)?.[1];
  return {
    ...{ texts, missing, settings: { ...imageSettings(texts.get('Dockerfile') ?? ''), ...settings, ...extra } },
    elsewhere: elsewhere.filter((one) => extra[one] === undefined),
    replicas: !found ? 1 : target.replicas?.global ? found.length : Number(found[1]),
    patience: patience === undefined ? undefined : Number(patience),
  };
}

/** The unit carries the name that the project had when it was published. */
async function findUnit(cwd: string, pattern: string): Promise<string> {
  if (!pattern.endsWith('*.service')) return pattern;
  const folder = pattern.slice(0, -'/*.service'.length);
  const names = await readdir(join(cwd, folder)).catch(() => []);
  const unit = names.find((name) => name.endsWith('.service') && !name.endsWith('-backup.service'));
  return unit === undefined ? pattern : `${folder}/${unit}`;
}

/** What the image sets for every container. */
function imageSettings(dockerfile: string): Settings {
  const found = dockerfile.matchAll(/\b(APP_ENV|NODE_ENV|SERVER_HOST|SERVER_PORT)=(\S+)/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

function readVariables(text: string): Read {
  return { settings: parseEnv(text) as Settings, elsewhere: [] };
}

async function yamlOf<T>(text: string): Promise<T> {
  const { parse } = await import('yaml');
  return ((parse(text) as T | null) ?? {}) as T;
}

/** A filled-in Secret counts with its values; the example only with its names. */
async function withSecrets<T>(file: T, text: string, settingsOf: (file: T) => Settings | undefined): Promise<Read> {
  const { stringData = {}, data = {} } = await yamlOf<{ stringData?: Settings; data?: Settings }>(text);
  const decoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
  const given = { ...stringData, ...(Object.fromEntries(decoded) as Settings) };
  const elsewhere = Object.keys(given).filter(
    (name) => given[name] === '' || /user:password@|:password@/.test(given[name] ?? ''),
  );
  const settings = Object.entries({ ...settingsOf(file) }).map(([name, value]) => [name, String(value)]);
  return { settings: { ...(Object.fromEntries(settings) as Settings), ...without(given, elsewhere) }, elsewhere };
}

interface Blueprint {
  readonly services?: readonly {
    readonly type: string;
    readonly envVars?: readonly { key: string; value?: unknown }[];
  }[];
}

async function readBlueprint(text: string): Promise<Read> {
  const { services = [] } = await yamlOf<Blueprint>(text);
  const variables = services.find(({ type }) => type === 'web')?.envVars ?? [];
  const said = variables.filter(({ value }) => value !== undefined).map(({ key, value }) => [key, String(value)]);
  const elsewhere = variables.filter(({ value }) => value === undefined).map(({ key }) => key);
  return { settings: Object.fromEntries(said) as Settings, elsewhere };
}

/** A table of strings; the subset of TOML that fly.toml uses. */
function readTomlTable(text: string, table: string): Settings {
  const body = text.split(new RegExp(`^\\[${table}\\]\\s*$`, 'm'))[1]?.split(/^\[/m)[0] ?? '';
  const rows = body.split('\n').flatMap((line) => {
    const sign = line.indexOf('=');
    return sign < 0
      ? []
      : [
          [
            line.slice(0, sign).trim(),
            line
              .slice(sign + 1)
              .trim()
              .replaceAll(/^["']|["']$/g, ''),
          ],
        ];
  });
  return Object.fromEntries(rows) as Settings;
}

function without(settings: Readonly<Settings>, names: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}
