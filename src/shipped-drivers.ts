import { existsSync } from 'node:fs';
import { ConfigurationError } from './core/errors.js';
import { compiledFolder } from './core/manifest.js';
import type { GatewayPlugin } from './gateway/index.js';

/**
 * The gateway drivers that ship besides `local`: each is a folder of src/modules with a `driver.ts`, and a line here.
 */
const shipped = {
  // @ts-ignore: the package may be built without the folder, and then lacks the driver.
  apigee: () => import('./modules/apigee/driver.js'),
};

type Shipped = typeof shipped;

/** Name → its options. */
export type ShippedOptions = {
  readonly [Name in keyof Shipped]: Awaited<ReturnType<Shipped[Name]>>['driver']['options'];
};

/** Name → declaration. */
export type GatewayPlugins = Readonly<Record<string, GatewayPlugin>>;

export const shippedDriverNames = Object.keys(shipped) as readonly (keyof Shipped)[];

/** The drivers whose folder exists. */
export async function shippedDrivers(): Promise<GatewayPlugins> {
  const present = shippedDriverNames.filter((name) => existsSync(new URL(`modules/${name}/driver.js`, compiledFolder)));
  const declared = await Promise.all(present.map(async (name) => [name, (await shipped[name]()).driver] as const));
  return Object.fromEntries<GatewayPlugin>(declared);
}

/** @throws ConfigurationError if its folder does not exist */
export async function shippedDriver(name: string): Promise<GatewayPlugin> {
  const { [name]: plugin } = await shippedDrivers();
  if (plugin) return plugin;
  const what = `the driver ${name} is not part of this installation of portalkit`;
  throw new ConfigurationError([`gateway.driver: ${what}. Fix: install the whole package, or use local.`]);
}
