import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * For esbuild: the package may be built without a module, whose file is looked for before it is asked for
 * (src/shipped-drivers.ts).
 * @type {import('esbuild').Plugin}
 */
export const optionalModules = {
  name: 'optional modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/modules\/.*\.js$/ }, ({ path, resolveDir }) =>
      existsSync(join(resolveDir, path.replace(/\.js$/, '.ts'))) ? undefined : { path, external: true },
    );
  },
};
