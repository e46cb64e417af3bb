import { findClosest, ConfigurationError } from '../core/index.js';
import { checkConfig } from './check-config.js';
import { readDefinition } from './definition.js';
import type { PortalExtensions } from './extensions.js';
import { NO_DOT_ENV, type DotEnv } from './dot-env.js';
import { deriveValues } from './derive.js';
import { Faults, type Provenance, type Source } from './faults.js';
import type { GatewayPlugins } from '../shipped-drivers.js';
import { checkOption, readText } from './option-value.js';
import { environmentName, listOptions, portalOptions, type ListedOption, type PortalConfig } from './options.js';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ConfigInput {
  /** The export of `portal.config.ts`. `unknown`, so that JavaScript hosts and mistakes get the same checks. */
  readonly definition?: unknown;
  /** Its name, for messages. */
  readonly fileName?: string;
  /** Gateway drivers that ship; without them only `local` and the host's are known. */
  readonly drivers?: GatewayPlugins;
  readonly env?: Variables;
  readonly dotEnv?: DotEnv;
  /** Option path → text, from the command line; beats everything. */
  readonly flags?: Variables;
}

export interface ResolvedConfig {
  readonly config: PortalConfig;
  /** Option path → where its value came from. */
  readonly sources: Readonly<Record<string, Source>>;
  readonly extensions: PortalExtensions;
  /** Every option with its path and environment names, including those of modules. */
  readonly options: readonly ListedOption[];
  readonly warnings: readonly string[];
}

/**
 * Merges flags, environment, `.env`, definition and defaults, and validates the result.
 * @throws ConfigurationError with all faults; no message contains a secret's value
 */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const { drivers = {} } = input;
  const definition = readDefinition(input.definition, drivers, findGiven(DRIVER, input)?.raw);
  const options = listOptions(definition.options);
  const provenance = new Map<string, Provenance>();
  const faults = new Faults(options, provenance, input.fileName ?? 'portal.config.ts');
  for (const { path, what, fix } of definition.faults) faults.fault(path, what, fix);

  const values: Record<string, unknown> = {};
  for (const listed of options) {
    values[listed.path] = readOption(listed, input, definition.values, provenance, faults);
  }
  const { dotEnv = NO_DOT_ENV } = input;
  // A missing setting may be on a misspelt line.
  const slips = [...dotEnv.warnings, ...findUnknownVariables(dotEnv, options)];
  deriveValues(values, provenance, drivers);
  const config = deepFreeze(nest(values)) as PortalConfig;
  checkConfig(config, definition.extensions, drivers, faults);
  const errors = [...dotEnv.faults, ...faults.faults];
  if (errors.length > 0) throw new ConfigurationError([...errors, ...slips]);
  const sources = Object.fromEntries(options.map(({ path }) => [path, provenance.get(path)?.source ?? 'default']));
  return { config, sources, extensions: definition.extensions, options, warnings: [...slips, ...faults.warnings] };
}

const DRIVER: ListedOption = {
  path: 'gateway.driver',
  env: [environmentName('gateway.driver')],
  option: portalOptions.gateway.driver,
};

// An empty variable counts as absent, as in every .env.example; only a list can be emptied by it.
function findGiven(
  { path, env, option }: ListedOption,
  input: ConfigInput,
): (Provenance & { raw: string }) | undefined {
  const isSaid = (raw: string | undefined): raw is string =>
    raw !== undefined && (raw !== '' || option.kind === 'list');
  const flag = input.flags?.[path];
  if (isSaid(flag)) return { raw: flag, source: 'flag' };
  for (const source of ['environment', '.env'] as const) {
    const variables = (source === 'environment' ? input.env : input.dotEnv?.variables) ?? {};
    const variable = env.find((name) => isSaid(variables[name]));
    if (variable === undefined) continue;
    const line = source === '.env' ? input.dotEnv?.lines[variable] : undefined;
    return { raw: variables[variable] ?? '', source, variable, ...(line === undefined ? {} : { line }) };
  }
  return undefined;
}

// An invalid value is replaced by the default, so that later checks see a complete configuration.
function readOption(
  listed: ListedOption,
  input: ConfigInput,
  file: ReadonlyMap<string, unknown>,
  provenance: Map<string, Provenance>,
  faults: Faults,
): unknown {
  const { path, option } = listed;
  const text = findGiven(listed, input);
  if (text === undefined && !file.has(path)) return option.default;
  provenance.set(path, text ?? { source: 'file' });
  const checked = checkOption(option, text === undefined ? file.get(path) : readText(option, text.raw));
  if ('value' in checked) return checked.value;
  faults.fault(path, checked.fault, checked.fix);
  faults.broken.add(path);
  return option.default;
}

function findUnknownVariables({ variables, lines }: DotEnv, options: readonly ListedOption[]): string[] {
  const known = options.flatMap(({ env }) => env);
  return Object.keys(variables).flatMap((name) => {
    const near = known.includes(name) ? undefined : findClosest(name, known);
    const line = lines[name] === undefined ? '' : `:${lines[name]}`;
    return near === undefined ? [] : [`${name} (.env${line}): is not a setting. Fix: did you mean ${near}?`];
  });
}

function nest(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    let section = root;
    for (const name of names) section = (section[name] ??= {}) as Record<string, unknown>;
    section[last] = copy(value);
  }
  return root;
}

// Copied because the host's own objects must not be frozen; non-plain values (in driver options) are passed as they
// are.
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item)])) : value;
}

function deepFreeze<T>(value: T): T {
  if (Array.isArray(value) || isPlain(value)) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
