// Puts the official MCP kit, with what it needs of its packages, into dist/agents/mcp-sdk.js, in place of what the compiler wrote
// there: 15 MB of an installation become one file of less than one. The licences of all that is in it go beside it.
// Why: docs/decisions/what-ships.md.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundled, nameOf } from './shipped.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const BUNDLE = 'dist/agents/mcp-sdk.js';
const NOTICES = 'dist/THIRD_PARTY_NOTICES.txt';
const BANNER = `// Made by scripts/bundle-sdk.mjs of portalkit from @modelcontextprotocol/server and what it needs, unchanged but for what is
// left out. Versions and licences: THIRD_PARTY_NOTICES.txt in dist.`;
/** How the kit marks what it brings of other packages inside of its own files. */
const INLINED = /^\/\/#region \S*\/\.pnpm\/((?:@[^+/]+\+)?[^@/]+)@([^_/]+)/gm;

// A clone that was installed before this package was needed does not have it.
const { build } = await import('esbuild').catch(() => fail('esbuild is not installed; run npm install in this clone'));
const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/agents/mcp-sdk.ts'],
  outfile: BUNDLE,
  write: false,
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Names and lines stay, for stack traces and for who reads what is installed.
  minify: false,
  legalComments: 'inline',
  banner: { js: BANNER },
  logLevel: 'warning',
});

const [output] = Object.values(metafile.outputs);
const left = output.imports.filter(({ path }) => !path.startsWith('node:'));
if (left.length > 0) fail(`${BUNDLE} still imports ${left.map(({ path }) => path).join(', ')}`);
const inputs = Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
  bytesInOutput > 0 && path.includes('node_modules/') ? [path] : [],
);
replace(BUNDLE, outputFiles[0].text);
replace(NOTICES, noticesOf(inputs));
// Nobody imports its types from outside, and its map would be that of the file that was replaced.
for (const stale of ['mcp-sdk.d.ts', 'mcp-sdk.js.map']) rmSync(join(root, 'dist/agents', stale), { force: true });

function noticesOf(files) {
  const folders = new Set(files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
  const unlisted = [...folders].filter((folder) => !isBundled(folder));
  // Or bill of materials and audit would not know of it.
  if (unlisted.length > 0) fail(`${unlisted.join(', ')} would be bundled; see BUNDLED in scripts/shipped.mjs`);
  const entries = new Map([...folders].map((folder) => [nameOf(folder), { folder, ...manifestOf(folder) }]));
  for (const [, slug, version] of files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(INLINED),
  ])) {
    const name = slug.replace('+', '/');
    const folder = `node_modules/${name}`;
    // The text of the licence is taken from the copy that is installed here, whatever its version.
    if (!entries.has(name)) entries.set(name, { folder, ...manifestOf(folder), version });
  }
  const head =
    'portalkit is made available under the licence in LICENSE. agents/mcp-sdk.js, in this folder, is made of parts of these\n' +
    'packages, under the licences that follow:\n';
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const list = sorted.map(([name, { version, license }]) => `  ${name} ${version} (${license})`).join('\n');
  const line = '='.repeat(80);
  const texts = sorted.map(([name, { folder }]) => `${line}\n${name}\n${line}\n\n${licenceIn(folder).trim()}\n`);
  return [head, `${list}\n`, ...texts].join('\n');
}

function manifestOf(folder) {
  const file = join(root, folder, 'package.json');
  if (!existsSync(file)) fail(`the licence of ${folder} is needed, which is not installed`);
  const { version, license } = JSON.parse(readFileSync(file, 'utf8'));
  return { version, license };
}

function licenceIn(folder) {
  const name = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (name === undefined) fail(`${folder} has no file with its licence`);
  return readFileSync(join(root, folder, name), 'utf8');
}

/** Leaves alone what is the same, so that nothing that watches dist sees a change. */
function replace(path, text) {
  const file = join(root, path);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

function fail(message) {
  console.error(`bundle: ${message}`);
  process.exit(1);
}
