import { importHostModule, loadConfig, type LoadedConfig, type LoadOptions } from './config/index.js';
import { hostMigrations } from './database/index.js';
import type { Clock, Logger } from './core/index.js';
import { createPortal, type Portal } from './portal.js';

export interface OpenPortalOptions extends LoadOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * The portal of a host project, built from its `portal.config.ts`, `.env` and `migrations/`. It contacts nothing yet:
 * `portal.listen()` serves it, `portal.handler` mounts it elsewhere, `portal.close()` frees its resources.
 * @throws ConfigurationError with every fault at once
 */
export async function openPortal({ clock, logger, ...options }: OpenPortalOptions = {}): Promise<Portal> {
  return assemblePortal(await loadConfig(options), { clock, logger });
}

/** The same, from a configuration that is already loaded. */
export function assemblePortal(
  { config, extensions, root }: LoadedConfig,
  parts: { readonly clock?: Clock | undefined; readonly logger?: Logger | undefined } = {},
): Portal {
  return createPortal({
    config,
    extensions,
    root,
    migrations: hostMigrations(root, (file) => importHostModule(file, root)),
    ...parts,
  });
}
