import { join } from 'node:path';
import ts from 'typescript';
import { listOptions, portalOptions } from '../../src/config/index.js';
import { apigeeOptions } from '../../src/modules/apigee/options.js';
import { mfaOptions } from '../../src/modules/mfa/options.js';
import { oidcOptions } from '../../src/modules/oidc/options.js';

const FILE = join(process.cwd(), 'portal.config.of-a-host.ts');
const DIST = join(process.cwd(), 'dist');

const options = [
  ...listOptions(portalOptions),
  ...listOptions(apigeeOptions, 'gateway.apigee'),
  ...listOptions(mfaOptions, 'mfa'),
  ...listOptions(oidcOptions, 'oidc'),
];

/** `a.b.c` → `{ a: { b: { c: undefined } } }`, for all of them. */
function configuration(): string {
  const tree: Record<string, unknown> = {};
  for (const { path } of options) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const section = names.reduce((below, name) => (below[name] ??= {}) as Record<string, unknown>, tree);
    section[last] = 0;
  }
  const written = JSON.stringify(tree, null, 2).replaceAll(/: 0(,?)$/gm, ': undefined$1');
  return [
    `import { defineConfig } from '${DIST}/index.js';`,
    `import { mfa } from '${DIST}/modules/mfa/index.js';`,
    `import { oidc } from '${DIST}/modules/oidc/index.js';`,
    `export default defineConfig({ modules: [mfa, oidc], ...{} , ${written.slice(1)});`,
  ].join('\n');
}

/** What an editor shows at each name of the file, by path. */
function hovers(text: string): Map<string, string> {
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
    }),
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === FILE ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === FILE || ts.sys.fileExists(name),
    readFile: (name) => (name === FILE ? text : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const found = new Map<string, string>();
  const visit = (node: ts.Node, names: readonly string[]): void => {
    const isNamed = ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name);
    const path = isNamed ? [...names, node.name.text] : names;
    if (isNamed && !ts.isObjectLiteralExpression(node.initializer)) {
      const info = service.getQuickInfoAtPosition(FILE, node.name.getStart());
      const tags = (info?.tags ?? []).map(({ name, text: words }) => `@${name} ${ts.displayPartsToString(words)}`);
      found.set(path.join('.'), [ts.displayPartsToString(info?.documentation), ...tags].join('\n'));
    }
    ts.forEachChild(node, (child) => visit(child, path));
  };
  const source = service.getProgram()?.getSourceFile(FILE);
  if (source) visit(source, []);
  return found;
}

describe('defineConfig in an editor', () => {
  it('tells of every option what it means, its variable and its default', () => {
    const shown = hovers(configuration());
    const untold = options.filter(({ path, env, option }) => {
      const text = shown.get(path) ?? '';
      return !text.includes(option.description) || !text.includes(env[0]);
    });
    expect(untold.map(({ path }) => path)).toEqual([]);
    expect(shown.get('portalApi.accessTtl')).toMatch(/PORTAL_API_ACCESS_TTL[^]*@default 15m/);
  });
});
