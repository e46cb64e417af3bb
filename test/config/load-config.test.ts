import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/index.js';
import { faultsOf, folderWith, SECRETS } from './support.js';

const env = { APP_ENV: 'development', ...SECRETS };

describe('loading a host project', () => {
  it('reads portal.config.ts with what it imports, and hands its code back', async () => {
    const root = await folderWith({
      'portal.config.ts': `
        import { defineConfig } from 'portalkit';
        import { routes } from './src/routes.js';
        const port: number = 4001;
        export default defineConfig({ server: { port }, routes });`,
      'src/routes.ts': 'export const routes = (portal: never): readonly unknown[] => [portal];',
    });
    const { config, extensions, sources, file } = await loadConfig({ cwd: root, env });
    expect(config.server.port).toBe(4001);
    expect(sources['server.port']).toBe('file');
    expect(typeof extensions.routes).toBe('function');
    expect(file).toBe(join(root, 'portal.config.ts'));
  });

  it('gives the file the classes of the running copy', async () => {
    const root = await folderWith({
      'portal.config.ts': `
        import { ConfigurationError } from 'portalkit';
        export default { routes: () => [new ConfigurationError(['x'])] };`,
    });
    const { ConfigurationError } = await import('../../src/kernel/index.js');
    const { extensions } = await loadConfig({ cwd: root, env });
    const routes = extensions.routes?.() as unknown[];
    expect(routes[0]).toBeInstanceOf(ConfigurationError);
  });

  it('prefers a compiled portal.config.js', async () => {
    const root = await folderWith({
      'package.json': '{"type":"module"}',
      'portal.config.ts': 'export default { server: { port: 1 } };',
      'portal.config.js': 'export default { server: { port: 2 } };',
    });
    expect((await loadConfig({ cwd: root, env })).config.server.port).toBe(2);
  });

  it('reads .env below the environment', async () => {
    const root = await folderWith({ '.env': 'SERVER_PORT=5\nAPP_NAME="Acme # 1"\n' });
    const { config, sources } = await loadConfig({ cwd: root, env: { ...env, SERVER_PORT: '6' } });
    expect([config.server.port, config.app.name]).toEqual([6, 'Acme # 1']);
    expect([sources['server.port'], sources['app.name']]).toEqual(['environment', '.env']);
  });
});

describe('a broken file', () => {
  const load = async (text: string) => {
    const root = await folderWith({ 'portal.config.ts': text });
    return faultsOf(() => loadConfig({ cwd: root, env }));
  };

  it.each([
    ['a syntax error', 'export default {\n  a: 1,\n  b: ;\n};', /^portal\.config\.ts:3:\d+: .*Unexpected token/],
    [
      'a throw',
      'const a: number = 1;\n\nthrow new Error(`no licence ${a}`);',
      /^portal\.config\.ts:3:\d+: no licence 1$/,
    ],
    ['a missing import', "import './nope.js';\nexport default {};", /^portal\.config\.ts.*: Cannot find module/],
    ['no default export', 'export const config = {};', /exports no configuration\. Fix: write export default/],
  ])('is told for %s, with its place and without a stack', async (_, text, expected) => {
    const faults = await load(text);
    expect(faults).toEqual([expect.stringMatching(expected)]);
    expect(faults.join('')).not.toContain('\n');
  });
});
