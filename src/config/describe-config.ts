import type { Source } from './faults.js';
import { loadConfig, type LoadOptions } from './load-config.js';
import { formatValue } from './option-value.js';
import { maskOption } from './secrets.js';

/** One effective setting, safe to show. */
export interface DescribedSetting {
  readonly path: string;
  readonly env: string;
  /** Masked when secret. */
  readonly value: unknown;
  /** The value in its written form: `15m` for 900 seconds. */
  readonly text: string;
  readonly source: Source;
}

/** The effective configuration for display. @throws ConfigurationError like {@link loadConfig} */
export async function describeConfig(
  options: LoadOptions,
): Promise<{ settings: DescribedSetting[]; warnings: readonly string[] }> {
  const { config, sources, options: listed, warnings } = await loadConfig(options);
  const settings = listed.map(({ path, env, option }) => {
    const value = maskOption(option, valueAt(config, path));
    return { path, env: env[0], value, text: formatValue(option, value), source: sources[path] ?? 'default' };
  });
  return { settings, warnings };
}

function valueAt(config: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((section, name) => (section as Record<string, unknown> | undefined)?.[name], config);
}
