import type { GatewayPlugins } from '../shipped-drivers.js';
import type { PortalExtensions } from './extensions.js';
import type { PortalConfig } from './options.js';

/** Input of a check. */
export interface CheckContext {
  readonly config: PortalConfig;
  readonly extensions: PortalExtensions;
  /** Gateway drivers that ship. */
  readonly drivers: GatewayPlugins;
  /** Invalid in every environment. */
  fault(path: string, what: string, fix: string): void;
  /** Valid but dangerous: refused in production, a warning in development, silent in tests. */
  unsafe(path: string, what: string, fix: string): void;
  warn(path: string, what: string, fix: string): void;
}
