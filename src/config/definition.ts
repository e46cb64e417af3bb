import { findClosest, isOption, map, type AnyOption, type OptionSection } from '../core/index.js';
import { EXTENSION_KINDS, type ConfigurableModule, type PortalExtensions } from './extensions.js';
import type { GatewayPlugins } from '../shipped-drivers.js';
import { listOptions, optionsWith, type portalOptions } from './options.js';

type Bag = Readonly<Record<string, unknown>>;

/** A parsed `portal.config.ts`: code on one side, values by path on the other. */
export interface ReadDefinition {
  readonly extensions: PortalExtensions;
  readonly values: ReadonlyMap<string, unknown>;
  /** The portal's options plus those of modules and the chosen driver. */
  readonly options: OptionSection;
  readonly faults: readonly { readonly path: string; readonly what: string; readonly fix?: string }[];
}

/**
 * @param drivers those that ship
 * @param driver the chosen gateway, when set by environment or flag
 */
export function readDefinition(definition: unknown, drivers: GatewayPlugins, driver?: string): ReadDefinition {
  const faults: { path: string; what: string; fix?: string }[] = [];
  const input = isBag(definition) ? definition : {};
  const extensions = readExtensions(input, faults);
  const chosen = driver ?? (isBag(input['gateway']) ? input['gateway']['driver'] : undefined);
  const tree = optionsWith(drivers);
  const options = withGuests(tree, extensions, typeof chosen === 'string' ? chosen : undefined, faults);
  const sections = Object.fromEntries(Object.entries(input).filter(([name]) => !(name in EXTENSION_KINDS)));
  const values = new Map<string, unknown>();
  readSection(options, sections, '', values, (path, what, fix) => faults.push({ path, what, fix }), options);
  return { extensions, values, options, faults };
}

function readExtensions(input: Bag, faults: { path: string; what: string }[]): PortalExtensions {
  const extensions: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(EXTENSION_KINDS)) {
    const value = input[name];
    if (value === undefined) continue;
    const fits = { function: typeof value === 'function', object: isBag(value), array: Array.isArray(value) }[kind];
    if (fits) extensions[name] = value;
    else faults.push({ path: name, what: `must be ${kind === 'function' ? 'a' : 'an'} ${kind}` });
  }
  return extensions;
}

function withGuests(
  tree: typeof portalOptions,
  { modules = [], gatewayDrivers = {} }: PortalExtensions,
  driver: string | undefined,
  faults: { path: string; what: string; fix?: string }[],
): OptionSection {
  const options: Record<string, AnyOption | OptionSection> = { ...tree };
  for (const [index, { name, config }] of (modules as readonly Partial<ConfigurableModule>[]).entries()) {
    const what = moduleFault(name, options, modules);
    if (what !== undefined) faults.push({ path: `modules[${index}]`, what });
    else if (name !== undefined && config !== undefined) options[name] = config;
  }
  if (driver !== undefined && driver in gatewayDrivers && !(driver in tree.gateway)) {
    const option: AnyOption = map(`Options of the driver ${driver}.`);
    options['gateway'] = { ...tree.gateway, [driver]: option };
  }
  return options;
}

function moduleFault(name: string | undefined, taken: object, modules: readonly Partial<ConfigurableModule>[]) {
  if (typeof name !== 'string') return 'must be a module, made with definePortalModule';
  if (modules.filter((module) => module.name === name).length > 1) return `is named "${name}" like another module`;
  return Object.hasOwn(taken, name) || Object.hasOwn(EXTENSION_KINDS, name)
    ? `is named "${name}" like a section of the portal`
    : undefined;
}

function readSection(
  section: OptionSection,
  input: Bag,
  prefix: string,
  values: Map<string, unknown>,
  fault: (path: string, what: string, fix?: string) => void,
  tree: OptionSection,
): void {
  for (const [name, value] of Object.entries(input)) {
    const path = `${prefix}${name}`;
    const node = Object.hasOwn(section, name) ? section[name] : undefined;
    if (value === undefined) continue;
    if (node === undefined) fault(path, 'is not a setting', suggestFix(section, name, prefix, tree));
    else if (isOption(node)) values.set(path, value);
    else if (isBag(value)) readSection(node, value, `${path}.`, values, fault, tree);
    else fault(path, 'must be an object', `write ${path}: { ${Object.keys(node)[0] ?? ''}: … }`);
  }
}

function suggestFix(section: OptionSection, name: string, prefix: string, tree: OptionSection): string {
  const near = findClosest(name, [...Object.keys(section), ...(prefix === '' ? Object.keys(EXTENSION_KINDS) : [])]);
  const suggestion = near === undefined ? findElsewhere(name, tree) : `${prefix}${near}`;
  return suggestion === undefined
    ? 'remove it; the settings are listed in docs/configuration.md'
    : `did you mean ${suggestion}?`;
}

// `port: 3000` at the top level is meant as `server.port`.
function findElsewhere(name: string, tree: OptionSection): string | undefined {
  // The first option of a name wins: the most common ones come first.
  const paths = new Map(
    listOptions(tree)
      .reverse()
      .map(({ path }) => [path.slice(path.lastIndexOf('.') + 1), path]),
  );
  return paths.get(findClosest(name, paths.keys()) ?? '');
}

function isBag(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
