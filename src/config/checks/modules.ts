import type { CheckContext } from './context.js';

/** The checks of modules on their own settings. */
export function checkModules({ config, extensions, fault }: CheckContext): void {
  for (const { name, check } of extensions.modules ?? []) {
    const options = (config as unknown as Record<string, unknown>)[name] ?? {};
    for (const { setting, what, fix = 'correct it' } of check?.(options as never, config as never) ?? []) {
      fault(`${name}.${setting}`, what, fix);
    }
  }
}
