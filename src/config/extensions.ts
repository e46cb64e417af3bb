import type { OptionSection } from '../core/index.js';

/** A fault in a module's setting: the setting below its section, and the rest of the sentence. */
export interface ModuleFault {
  readonly setting: string;
  readonly what: string;
  readonly fix?: string;
}

/** What configuration needs to know about a module; its options live under the module's name. */
export interface ConfigurableModule {
  readonly name: string;
  readonly config?: OptionSection;
  check?(options: never, portal: never): readonly ModuleFault[];
}

// Typed precisely in `composition/extensions.ts`; here it only matters that it is a function.
type Code = (...parts: never[]) => unknown;

/** The code hooks of `portal.config.ts`; the only list of them. */
export interface PortalExtensions {
  readonly authFlow?: Code;
  readonly tokenService?: Code;
  readonly guards?: Readonly<Record<string, Code>>;
  readonly authorizer?: Code;
  readonly passwordHasher?: Code;
  readonly mailer?: Code;
  readonly routes?: Code;
  readonly pages?: Code;
  readonly adminResources?: Code;
  readonly listen?: Code;
  readonly gatewayDrivers?: Readonly<Record<string, Code>>;
  readonly modules?: readonly ConfigurableModule[];
}

/** Each hook and its required kind, for the check at load time. */
export const EXTENSION_KINDS = {
  authFlow: 'function',
  tokenService: 'function',
  guards: 'object',
  authorizer: 'function',
  passwordHasher: 'function',
  mailer: 'function',
  routes: 'function',
  pages: 'function',
  adminResources: 'function',
  listen: 'function',
  gatewayDrivers: 'object',
  modules: 'array',
} as const satisfies Record<keyof PortalExtensions, 'function' | 'object' | 'array'>;
