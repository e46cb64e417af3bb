// Writes the JavaScript of dist, which is what runs and ships: 280 files instead of a thousand, because Node takes a quarter
// of the time that a command needs to find and read them one by one. What is imported by name is a file of its own, and so is
// what many share, so that no module is there twice. The official MCP kit, with what it needs of its packages, becomes
// dist/agents/mcp-sdk.js: 15 MB of an installation are one file of less than one; the licences of all that is in it go beside it.
// Why: docs/decisions/what-ships.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionalModules } from './optional-modules.mjs';
import { isBundled, nameOf } from './shipped.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const KIT = 'agents/mcp-sdk';
const NOTICES = 'dist/THIRD_PARTY_NOTICES.txt';
/** Files that something names by their path: a program, a thread, a script; and what Node is told of in package.json. */
const NAMED = ['cli/main', 'domain/catalog/openapi/spec-worker'];
const MIGRATIONS = 'database/migrations';
/** Where what is shared lies: as deep below dist as src/core/manifest.ts, which tells from there where dist is. */
const SHARED = 'chunks';
const BANNER = `// Made by scripts/bundle.mjs of portalkit from @modelcontextprotocol/server and what it needs, unchanged but for what is
// left out. Versions and licences: THIRD_PARTY_NOTICES.txt in dist.`;
/** How the kit marks what it brings of other packages inside of its own files. */
const INLINED = /^\/\/#region \S*\/\.pnpm\/((?:@[^+/]+\+)?[^@/]+)@([^_/]+)/gm;

// A clone that was installed before this package was needed does not have it.
const { build } = await import('esbuild').catch(() => fail('esbuild is not installed; run npm install in this clone'));
const options = {
  absWorkingDir: root,
  outdir: 'dist',
  outbase: 'src',
  write: false,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Names and lines stay, for stack traces and for who reads what is installed.
  minify: false,
  logLevel: 'warning',
};
const written = [...(await bundlePortal()), await bundleKit()];
removeOthers(new Set(written));

/** @returns the files, relative to the root */
async function bundlePortal() {
  const exported = Object.values(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports).flatMap(
    (entry) => (typeof entry === 'string' ? [] : [/^\.\/dist\/(.*)\.js$/.exec(entry.default)[1]]),
  );
  const modules = join(root, 'src/modules');
  const drivers = existsSync(modules) ? readdirSync(modules).map((name) => `modules/${name}/driver`) : [];
  const migrations = readdirSync(join(root, 'src', MIGRATIONS)).map(
    (file) => `${MIGRATIONS}/${file.replace(/\.ts$/, '')}`,
  );
  const { outputFiles } = await build({
    ...options,
    entryPoints: [...exported, ...drivers, ...NAMED, ...migrations]
      .map((name) => `src/${name}.ts`)
      .filter((file) => existsSync(join(root, file))),
    splitting: true,
    packages: 'external',
    chunkNames: `${SHARED}/[name]-[hash]`,
    // A class keeps the name that logs know it by.
    keepNames: true,
    plugins: [{ name: 'kit', setup: keepKitApart }, optionalModules],
  });
  return outputFiles.map(({ path, text }) => replace(relative(root, path), text));
}

function keepKitApart({ onResolve }) {
  onResolve({ filter: /\/mcp-sdk\.js$/ }, () => ({ path: `../${KIT}.js`, external: true }));
}

/** @returns the file, relative to the root */
async function bundleKit() {
  const { outputFiles, metafile } = await build({
    ...options,
    metafile: true,
    // Its packages are those of this folder's node_modules, also where that is a link.
    preserveSymlinks: true,
    entryPoints: [`src/${KIT}.ts`],
    legalComments: 'inline',
    banner: { js: BANNER },
  });
  const file = `dist/${KIT}.js`;
  const [output] = Object.values(metafile.outputs);
  const left = output.imports.filter(({ path }) => !path.startsWith('node:'));
  if (left.length > 0) fail(`${file} still imports ${left.map(({ path }) => path).join(', ')}`);
  const inputs = Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 && path.includes('node_modules/') ? [path] : [],
  );
  replace(NOTICES, noticesOf(inputs));
  // Nobody imports its types from outside.
  rmSync(join(root, `dist/${KIT}.d.ts`), { force: true });
  return replace(file, outputFiles[0].text);
}

/** What an earlier build left. @param kept files, relative to the root */
function removeOthers(kept) {
  for (const entry of readdirSync(join(root, 'dist'), { recursive: true })) {
    if (/\.js(\.map)?$/.test(entry) && !kept.has(join('dist', entry))) rmSync(join(root, 'dist', entry));
  }
}

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

/** Leaves alone what is the same, so that nothing that watches dist sees a change. @returns the path */
function replace(path, text) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return path;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return path;
}

function fail(message) {
  console.error(`bundle: ${message}`);
  process.exit(1);
}
