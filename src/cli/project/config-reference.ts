import { readManifest } from '../../core/manifest.js';
import type { AnyOption, OptionSection } from '../../core/index.js';
import { shippedDrivers } from '../../shipped-drivers.js';

/** Every setting, commented out, with its meaning, environment name and default: to copy from, never loaded. */
export async function configReference(): Promise<string> {
  const [{ environmentName, formatValue, optionsWith }, { isOption }, drivers] = await Promise.all([
    import('../../config/index.js'),
    import('../../core/index.js'),
    shippedDrivers(),
  ]);
  const section = (tree: OptionSection, path: string, indent: string): string[] =>
    Object.entries(tree).flatMap(([name, node]) => {
      const own = path === '' ? name : `${path}.${name}`;
      if (!isOption(node)) return [`${indent}${name}: {`, ...section(node, own, `${indent}  `), `${indent}},`];
      if (node.secret === true) return [`${indent}// ${node.description} Secret: set ${environmentName(own)}.`];
      const note = `${indent}// ${node.description} ${environmentName(own)}${node.derived ? `; ${stripCode(node.derived)}` : ''}`;
      return [note, `${indent}// ${name}: ${literal(node, formatValue(node, node.default))},`];
    });
  return [
    `// Every setting of portalkit ${readManifest().version} with its default. This file is for reading: the portal loads`,
    '// portal.config.ts alone. Secrets belong into the environment or .env, which win over any file.',
    "import { defineConfig } from 'portalkit';",
    '',
    'export default defineConfig({',
    ...section(optionsWith(drivers), '', '  '),
    '});',
    '',
  ].join('\n');
}

function stripCode(text: string): string {
  return text.replaceAll('`', '');
}

// Durations and sizes as people write them.
function literal({ kind, default: value }: AnyOption, written: string): string {
  return written !== '' && (kind === 'duration' || kind === 'bytes') ? quote(written) : quote(value);
}

function quote(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(quote).join(', ')}]`;
  return JSON.stringify(value);
}
