// The last step of the build: writes what each setting means into the declarations, so that editors show it on every option
// of `defineConfig`. The sentences are those of the option trees, which also make docs/configuration.md.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { optionalModules } from './optional-modules.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
/** Trees of options: from which module of src, into which constant of which declaration, and their place in the configuration. */
const TREES = [
  { tree: 'portalOptions', from: 'config/index', constant: 'portalOptions', file: 'config/options.d.ts', place: '' },
  {
    ...{ tree: 'apigeeOptions', from: 'modules/apigee/options', place: 'gateway.apigee' },
    ...{ constant: 'apigeeOptions', file: 'modules/apigee/options.d.ts' },
  },
  { tree: 'mfaOptions', from: 'modules/mfa/options', constant: 'mfa', file: 'modules/mfa/index.d.ts', place: 'mfa' },
  {
    tree: 'oidcOptions',
    from: 'modules/oidc/options',
    constant: 'oidc',
    file: 'modules/oidc/index.d.ts',
    place: 'oidc',
  },
  // The package may be built without a module.
].filter(({ from }) => existsSync(join(root, 'src', `${from}.ts`)));
const imported = await importOptions(TREES.map(({ from }) => from));
const { environmentName, formatValue, listOptions } = imported;
const OPEN = /^(\s*)"?([A-Za-z][\w-]*)"?: \{$/;
const COMMENT = /^ *\/\*\*\n(?: *\*(?!\/).*\n)+ *\*\/\n/gm;
const OPTION = /^(\s*)"?([A-Za-z][\w-]*)"?: .*\bOption</;

for (const { tree, constant, file, place } of TREES) await describe(file, constant, imported[tree], place);

/** What modules of src export, which need not be a file of dist. */
async function importOptions(names) {
  const contents = names.map((name) => `export * from './src/${name}.ts';`).join('\n');
  const file = join(dist, `.options-${process.pid}.mjs`);
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', outfile: file };
  await build({ ...options, plugins: [optionalModules], stdin: { contents, resolveDir: root }, logLevel: 'warning' });
  try {
    return await import(file);
  } finally {
    await rm(file);
  }
}

/** Puts a comment before each option of one constant. @throws Error when one cannot be found */
async function describe(file, constant, section, prefix) {
  const path = join(dist, file);
  const options = new Map(listOptions(section, prefix).map((listed) => [listed.path, listed]));
  const lines = (await readFile(path, 'utf8')).replace(COMMENT, withoutOurs).split('\n');
  const start = lines.findIndex((line) => new RegExp(`^export declare const ${constant}: .*\\{$`).test(line));
  const names = prefix === '' ? [] : [prefix];
  const described = lines.flatMap((line, index) => {
    if (index <= start || start < 0) return [line];
    const [, , opened] = OPEN.exec(line) ?? [];
    if (opened !== undefined) names.push(opened);
    else if (/^\s*\};$/.test(line)) names.pop();
    const [, indent, name] = OPTION.exec(line) ?? [];
    const listed = options.get([...names, name].join('.'));
    if (opened !== undefined || listed === undefined) return [line];
    options.delete(listed.path);
    return [...commentOf(listed).map((text) => indent + text), line];
  });
  if (options.size > 0) throw new Error(`${file} has no place for ${[...options.keys()].join(', ')}`);
  await writeFile(path, described.join('\n'));
}

/** A file that was not compiled again has them already, perhaps with earlier sentences. */
function withoutOurs(comment) {
  return comment.includes(', in the environment `') ? '' : comment;
}

function commentOf({ path, option }) {
  const { description, derived, secret, default: fallback } = option;
  const value = derived ?? (option.kind === 'map' ? '' : formatValue(option, fallback));
  const lines = [
    `${description}${secret ? ' Secret: keep it in the environment.' : ''}`,
    '',
    `\`${path}\`, in the environment \`${environmentName(path)}\`.`,
    ...(value === '' ? [] : [`@default ${value}`]),
  ];
  return ['/**', ...lines.map((text) => ` * ${text.replaceAll('*/', '*\u200b/')}`.trimEnd()), ' */'];
}
