export {
  describeConfig,
  type DescribedSetting,
  isDebugging,
  readCodeEnvironment,
  readKey,
  readPipeline,
  readWebhookSecrets,
  loadConfig,
  type LoadedConfig,
  type LoadOptions,
} from './load-config.js';
export type { PortalExtensions } from './extensions.js';
export type { Source } from './faults.js';
export { CONFIG_FILES, findConfigFile, importHostModule } from './host-file.js';
/** @public for scripts/generate-docs.mjs */
export { expectation } from './option-value.js';
export { formatValue } from './option-value.js';
/** @internal */
export { listOptions, portalOptions } from './options.js';
export { environmentName, optionsWith } from './options.js';
export type { ListedOption, PortalConfig, PortalConfigInput } from './options.js';
export { resolveConfig } from './resolve-config.js';
export type { ConfigInput, ResolvedConfig, Variables } from './resolve-config.js';
/** @internal */
export { maskOption } from './secrets.js';
export { parseKey } from './secrets.js';
