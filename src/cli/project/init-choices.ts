import type { GatewayPlugin } from '../../gateway/index.js';
import { shippedDriver, shippedDriverNames, shippedDrivers } from '../../shipped-drivers.js';
import { UsageError } from '../errors.js';
import type { Ui } from '../ui.js';

export const DATABASES = ['sqlite', 'mysql'] as const;
export const GATEWAYS: readonly string[] = ['local', ...shippedDriverNames];
export const SESSION_STORES = ['database', 'redis'] as const;

/** Of `theme.preset`; configuration is too much to load for a list of options. */
export const LOOKS = ['clear', 'paper', 'graphite'] as const;
const COLOR = /^#[0-9a-f]{6}$/i;

/** Modules that ship; the values of `--with`. */
const MODULES = ['mfa', 'oidc'] as const;

/** The choices for a new project. */
export interface ProjectChoices {
  readonly database: (typeof DATABASES)[number];
  readonly gateway: string;
  /** The driver's lines for `.env` and the next steps; undefined for `local`. */
  readonly driver?: GatewayPlugin['choice'];
  readonly sessions: (typeof SESSION_STORES)[number];
  readonly modules: readonly (typeof MODULES)[number][];
  /** What the portal is called; made of the folder without it. */
  readonly title?: string | undefined;
  readonly preset: (typeof LOOKS)[number];
  /** `#rrggbb`; the one of the preset without it. */
  readonly color?: string | undefined;
}

const DEFAULTS: ProjectChoices = {
  database: 'sqlite',
  gateway: 'local',
  sessions: 'database',
  modules: [],
  preset: 'clear',
};

/**
 * From flags, then prompts, then defaults: one question for those who take the defaults, no prompts with `--yes` or without a terminal.
 * @param title suggested as the name of the portal
 * @throws UsageError for an invalid colour or name
 */
export async function askChoices(
  ui: Ui,
  given: Partial<ProjectChoices>,
  yes: boolean,
  title: string,
): Promise<ProjectChoices> {
  checkLook(given);
  if (yes || !ui.isInteractive || (await askWay(ui)) === 'usual')
    return withDriver({ ...DEFAULTS, ...withoutGaps(given) });
  return withDriver({
    title: given.title ?? (await askTitle(ui, title)),
    preset: given.preset ?? (await askPreset(ui)),
    color: given.color ?? (await askColor(ui)),
    database: given.database ?? (await askDatabase(ui)),
    gateway: given.gateway ?? (await askGateway(ui)),
    sessions: given.sessions ?? (await askSessions(ui)),
    modules: given.modules ?? DEFAULTS.modules,
  });
}

/** @throws ConfigurationError for a driver that does not ship */
async function withDriver(choices: ProjectChoices): Promise<ProjectChoices> {
  if (choices.gateway === DEFAULTS.gateway) return choices;
  return { ...choices, driver: (await shippedDriver(choices.gateway)).choice };
}

function checkLook({ title, color }: Partial<ProjectChoices>): void {
  const fault =
    (title === undefined ? undefined : faultOfTitle(title)) ?? (color === undefined ? undefined : faultOfColor(color));
  if (fault !== undefined) throw new UsageError(fault);
}

// It becomes a string of portal.config.ts.
function faultOfTitle(title: string): string | undefined {
  return /^[^\p{Cc}'\\]{1,100}$/u.test(title)
    ? undefined
    : 'A name is one line of at most 100 characters, without quotes and backslashes.';
}

function faultOfColor(color: string): string | undefined {
  return color === '' || COLOR.test(color) ? undefined : 'A colour is six hexadecimal digits such as #0f766e.';
}

function askWay(ui: Ui): Promise<'usual' | 'choose'> {
  return ui.select({
    message: 'How shall it begin?',
    flag: '--yes',
    default: 'usual',
    choices: [
      {
        value: 'usual',
        label: 'as usual',
        hint: 'SQLite, keys checked by the portal itself; all of it can be changed later',
      },
      { value: 'choose', label: 'by choice', hint: 'name, look, colour, database, gateway, sessions' },
    ],
  });
}

function askTitle(ui: Ui, title: string): Promise<string> {
  return ui.askText({ message: 'What is the portal called?', flag: '--name', default: title, validate: faultOfTitle });
}

function askPreset(ui: Ui): Promise<ProjectChoices['preset']> {
  return ui.select({
    message: 'Which look?',
    flag: '--preset',
    default: DEFAULTS.preset,
    choices: [
      { value: 'clear', label: 'clear', hint: 'light and round' },
      { value: 'paper', label: 'paper', hint: 'warm, with serifs' },
      { value: 'graphite', label: 'graphite', hint: 'plain and square' },
    ],
  });
}

async function askColor(ui: Ui): Promise<string | undefined> {
  const message = 'Which colour, as #rrggbb? Empty for the one of the look.';
  return (await ui.askText({ message, flag: '--color', default: '', validate: faultOfColor })) || undefined;
}

function askDatabase(ui: Ui): Promise<ProjectChoices['database']> {
  return ui.select({
    message: 'Where does the data live?',
    flag: '--database',
    default: DEFAULTS.database,
    choices: [
      { value: 'sqlite', label: 'SQLite', hint: 'a file, nothing to install' },
      { value: 'mysql', label: 'MySQL or MariaDB', hint: 'for more than one replica' },
    ],
  });
}

async function askGateway(ui: Ui): Promise<ProjectChoices['gateway']> {
  return ui.select({
    message: 'Who issues and checks API keys?',
    flag: '--gateway',
    default: DEFAULTS.gateway,
    choices: [
      { value: 'local', label: 'the portal itself', hint: 'nginx, Caddy, Traefik and Envoy ask it' },
      ...Object.entries(await shippedDrivers()).map(
        ([
          value,
          {
            choice: { label, hint },
          },
        ]) => ({ value, label, hint }),
      ),
    ],
  });
}

function askSessions(ui: Ui): Promise<ProjectChoices['sessions']> {
  return ui.select({
    message: 'Where do web sessions live?',
    flag: '--sessions',
    default: DEFAULTS.sessions,
    choices: [
      { value: 'database', label: 'in the database', hint: 'nothing to install' },
      { value: 'redis', label: 'in Redis', hint: 'for many replicas' },
    ],
  });
}

function withoutGaps(given: Partial<ProjectChoices>): Partial<ProjectChoices> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * Parses `--with`: names separated by commas or blanks.
 * @throws UsageError for a module that does not ship
 */
export function modulesOf(given: readonly string[] | undefined): ProjectChoices['modules'] | undefined {
  const named = given?.flatMap((word) => word.split(',')).filter((name) => name !== '');
  const unknown = named?.find((name) => !(MODULES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no module ${unknown}. Modules are ${MODULES.join(', ')}.`);
  return named && MODULES.filter((name) => named.includes(name));
}
