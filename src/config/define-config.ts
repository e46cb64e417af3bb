import type { OptionSection } from '../kernel/index.js';
import type { PortalConfigInput } from './options.js';

/** Code that a host hangs into the portal; what it is given is the business of the composition root. */
export type ExtensionFactory = (services: never) => unknown;

/** What configuration needs to know of a module: its options live under the module's name. */
export interface ConfigurableModule {
  readonly name: string;
  readonly config?: OptionSection;
}

/** The code hooks of `portal.config.ts`: the one place that says which exist. */
export interface PortalExtensions {
  /** Replaces the login rules of API and theme alike. */
  readonly authFlow?: ExtensionFactory;
  /** Replaces the life cycle of tokens. */
  readonly tokenService?: ExtensionFactory;
  /** Replaces the second layer of authorization. */
  readonly authorizer?: ExtensionFactory;
  readonly passwordHasher?: ExtensionFactory;
  readonly mailer?: ExtensionFactory;
  /** Further endpoints, made with the same declaration as the portal's own. */
  readonly routes?: (portal: never) => readonly unknown[];
  /** Further web pages, made with `definePage`; one at the address of the portal's own replaces it. */
  readonly pages?: (portal: never) => readonly unknown[];
  /** Gateways by the name that `gateway.driver` chooses; their options live under `gateway.<name>`. */
  readonly gatewayDrivers?: Readonly<Record<string, ExtensionFactory>>;
  readonly modules?: readonly ConfigurableModule[];
}

/** Each hook and what it must be, for the check at load time. */
export const EXTENSION_KINDS = {
  authFlow: 'function',
  tokenService: 'function',
  authorizer: 'function',
  passwordHasher: 'function',
  mailer: 'function',
  routes: 'function',
  pages: 'function',
  gatewayDrivers: 'object',
  modules: 'array',
} as const satisfies Record<keyof PortalExtensions, 'function' | 'object' | 'array'>;

/** What `portal.config.ts` exports: any part of the options, plus code. */
export type PortalDefinition = PortalConfigInput & PortalExtensions;

/** Types the configuration of a host project; the value is checked when it is loaded. */
export function defineConfig(definition: PortalDefinition): PortalDefinition {
  return definition;
}
