import { join } from 'node:path';
import { loadConfig } from '../../src/config/index.js';
import { portal } from '../support/portal-command.js';
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
    const { ConfigurationError } = await import('../../src/core/index.js');
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
    ['no default export', 'export const config = {};', /exports no configuration\. Fix: write export default/],
  ])('is told for %s, with its place and without a stack', async (_, text, expected) => {
    const faults = await load(text);
    expect(faults).toEqual([expect.stringMatching(expected)]);
    expect(faults.join('')).not.toContain('\n');
  });
});

describe('an import that leads nowhere', () => {
  const load = async (files: Record<string, string>) => {
    const root = await folderWith({ 'package.json': '{"type":"module","dependencies":{"date-fns":"4"}}', ...files });
    const { stdout, exitCode } = await portal(['config:show', '--json'], { cwd: root, env });
    expect(exitCode).toBe(78);
    return (JSON.parse(stdout) as { error: { faults: string[] } }).error.faults;
  };
  const config = "import { routes } from './src/routes.js';\nexport default { routes: () => [routes] };";

  it.each([
    [
      'in the configuration',
      { 'portal.config.ts': "// Acme\nimport './nope.js';\nexport default {};" },
      "portal.config.ts:2:8: imports './nope.js', which is not there. Fix: write that file, or take the import away.",
    ],
    [
      'in a file below src',
      { 'portal.config.ts': config, 'src/routes.ts': "\nimport { a } from '../lib/a.js';\nexport const routes = a;" },
      "src/routes.ts:2:19: imports '../lib/a.js', which is not there. Fix: write that file, or take the import away.",
    ],
    [
      'with a slip in the name of a file',
      { 'portal.config.ts': config.replace('routes.js', 'ruotes.js'), 'src/routes.ts': 'export const routes = 1;' },
      "portal.config.ts:1:24: imports './src/ruotes.js', which is not there. Fix: did you mean './src/routes.js'?",
    ],
    [
      'of a package that is not installed',
      { 'portal.config.ts': config, 'src/routes.ts': "import { a } from '@acme/rules/a';\nexport const routes = a;" },
      "src/routes.ts:1:19: imports '@acme/rules/a', which is not there. Fix: run npm install @acme/rules, or take the import away.",
    ],
    [
      'with a slip in the name of a package',
      { 'portal.config.ts': "import { mfa } from 'portalkit/mfaa';\nexport default { modules: [mfa] };" },
      "portal.config.ts:1:21: imports 'portalkit/mfaa', which is not there. Fix: did you mean 'portalkit/mfa'?",
    ],
    [
      'in compiled JavaScript',
      {
        'portal.config.js': "import { a } from './src/a.js';\nexport default { routes: () => a };",
        'src/a.js': "export const b = 1;\nexport { a } from './nope.js';",
      },
      "src/a.js:2:19: imports './nope.js', which is not there. Fix: write that file, or take the import away.",
    ],
  ])('is told with file and place, %s', async (_, files, expected) => {
    expect(await load(files)).toEqual([expected]);
  });

  it('is told for a name that portalkit does not export', async () => {
    const text =
      "import { AuthFloww } from 'portalkit';\nexport class A extends AuthFloww {}\nexport const routes = A;";
    expect(await load({ 'portal.config.ts': config, 'src/routes.ts': text })).toEqual([
      expect.stringMatching(
        /^src\/routes\.ts:2:\d+: portalkit has no export AuthFloww\. Fix: did you mean AuthFlow\?$/,
      ),
    ]);
  });
});
