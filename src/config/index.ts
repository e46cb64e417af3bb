export {
  defineConfig,
  type ConfigurableModule,
  type ExtensionFactory,
  type PortalDefinition,
  type PortalExtensions,
} from './define-config.js';
export { describeConfig, type DescribedSetting } from './describe-config.js';
export type { Source } from './faults.js';
export { CONFIG_FILES, findConfigFile, importHostModule } from './host-file.js';
export { isDebugging, loadConfig, type LoadedConfig, type LoadOptions } from './load-config.js';
export { expectation, formatValue } from './option-value.js';
export {
  environmentName,
  listOptions,
  portalOptions,
  type ListedOption,
  type PortalConfig,
  type PortalConfigInput,
} from './options.js';
export { resolveConfig, type ConfigInput, type ResolvedConfig, type Variables } from './resolve-config.js';
export { maskOption, parseKey } from './secrets.js';
export { closest } from './suggest.js';
