import type { OptionSection } from '../core/index.js';

/** What is wrong with a setting of a module: the setting below its section, and what goes on after it. */
export interface ModuleFault {
  readonly setting: string;
  readonly what: string;
  readonly fix?: string;
}

/** What configuration needs to know of a module: its options live under the module's name. */
export interface ConfigurableModule {
  readonly name: string;
  readonly config?: OptionSection;
  check?(options: never, portal: never): readonly ModuleFault[];
}

// What the code is given and gives is typed where the portal is put together (`extend/extensions.ts`); here it counts
// only that it is code.
type Code = (...parts: never[]) => unknown;

/** The code hooks of `portal.config.ts`: the one place that says which exist. */
export interface PortalExtensions {
  readonly authFlow?: Code;
  readonly tokenService?: Code;
  readonly guards?: Readonly<Record<string, Code>>;
  readonly authorizer?: Code;
  readonly passwordHasher?: Code;
  readonly mailer?: Code;
  readonly routes?: Code;
  readonly pages?: Code;
  readonly listen?: Code;
  readonly gatewayDrivers?: Readonly<Record<string, Code>>;
  readonly modules?: readonly ConfigurableModule[];
}

/** Each hook and what it must be, for the check at load time. */
export const EXTENSION_KINDS = {
  authFlow: 'function',
  tokenService: 'function',
  guards: 'object',
  authorizer: 'function',
  passwordHasher: 'function',
  mailer: 'function',
  routes: 'function',
  pages: 'function',
  listen: 'function',
  gatewayDrivers: 'object',
  modules: 'array',
} as const satisfies Record<keyof PortalExtensions, 'function' | 'object' | 'array'>;
