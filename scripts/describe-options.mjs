// The last step of the build: writes what each setting means into the declarations, so that editors show it on every option
// of `defineConfig`. The sentences are those of the option trees, which also make docs/configuration.md.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const { environmentName, formatValue, listOptions, portalOptions, apigeeOptions, mfaOptions, oidcOptions } =
  await importOptions(['config/index', 'modules/apigee/options', 'modules/mfa/options', 'modules/oidc/options']);
const OPEN = /^(\s*)"?([A-Za-z][\w-]*)"?: \{$/;
const COMMENT = /^ *\/\*\*\n(?: *\*(?!\/).*\n)+ *\*\/\n/gm;
const OPTION = /^(\s*)"?([A-Za-z][\w-]*)"?: .*\bOption</;

await describe('config/options.d.ts', 'portalOptions', portalOptions, '');
await describe('modules/apigee/options.d.ts', 'apigeeOptions', apigeeOptions, 'gateway.apigee');
await describe('modules/mfa/index.d.ts', 'mfa', mfaOptions, 'mfa');
await describe('modules/oidc/index.d.ts', 'oidc', oidcOptions, 'oidc');

/** What modules of src export, which need not be a file of dist. */
async function importOptions(names) {
  const contents = names.map((name) => `export * from './src/${name}.ts';`).join('\n');
  const file = join(dist, `.options-${process.pid}.mjs`);
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', outfile: file };
  await build({ ...options, stdin: { contents, resolveDir: root }, logLevel: 'warning' });
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
