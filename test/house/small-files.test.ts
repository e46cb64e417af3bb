import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** Shorter files belong to the only file that imports them, or beside something in its folder. */
const LINES = 40;

/** Named by its role, found by its folder or listed in an index: entry points, sections of the configuration, pages, … */
const FOUND_BY_NAME = /\/(index|config|options)\.ts$|^src\/(database\/migrations|cli\/commands|theme\/pages|testing)\//;

/** Hosts import what these export. */
const PUBLIC = /^src\/(index|modules\/\w+\/index)\.ts$/;

const JUSTIFIED: Readonly<Record<string, string>> = {
  'src/openapi/described.ts': 'json-schema.ts, which reads these types, is as long as a file should be',
  'src/agents/mcp-sdk.ts': 'what the build puts the bundled kit in place of',
  'src/api/accounts/unsubscribe-endpoint.ts': 'an endpoint of its own address, beside none that it could be part of',
  'src/observability/prometheus.ts': 'what import() loads with the package, when metrics are on',
};

const paths = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) =>
    path.endsWith('.ts') ? [join(folder, path)] : [],
  );
const texts = new Map([...paths('src'), ...paths('test')].map((path) => [path, readFileSync(path, 'utf8')]));

interface Link {
  readonly kind: string;
  /** Null for all of them. */
  readonly names: readonly string[] | null;
  readonly target: string;
}

const LINK = /^(import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*(?:\s+as\s+\w+)?)\s*from\s*'(\.[^']+)'/gm;
const LOADED = /(?:\bimport\(|\bnew URL\()\s*'(\.[^']+)'/g;
const EXPORTED = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type|enum) (\w+)/gm;

function linksOf(path: string): Link[] {
  const text = texts.get(path) ?? '';
  const resolve = (spec = '') => normalize(join(dirname(path), spec)).replace(/\.js$/, '.ts');
  const links = [...text.matchAll(LINK)].map(([, kind = '', names, spec]): Link => {
    const plain = names?.split(',').map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    );
    return { kind, names: plain?.filter(Boolean) ?? null, target: resolve(spec) };
  });
  const loaded = [...text.matchAll(LOADED)].map(([, spec]): Link => ({
    kind: 'import',
    names: null,
    target: resolve(spec),
  }));
  return [...links, ...loaded];
}

const links = new Map([...texts.keys()].map((path) => [path, linksOf(path)]));
const exportsOf = new Map(
  [...texts].map(([path, text]) => [path, new Set([...text.matchAll(EXPORTED)].map(([, name = '']) => name))]),
);

/** The file behind an entry point that declares the name. */
function declaring(path: string, name: string): string {
  if (exportsOf.get(path)?.has(name)) return path;
  const behind = (links.get(path) ?? []).filter(
    ({ kind, names }) => kind === 'export' && (names?.includes(name) ?? true),
  );
  return behind.map(({ target }) => declaring(target, name)).find((file) => exportsOf.get(file)?.has(name)) ?? path;
}

/** File → those that import it, through entry points as well. */
function importers(): Map<string, Set<string>> {
  const found = new Map([...texts.keys()].map((path) => [path, new Set<string>()]));
  for (const [path, all] of links) {
    for (const { kind, names, target } of all) {
      if (kind === 'export' && basename(path) === 'index.ts' && !PUBLIC.test(path)) continue;
      for (const file of names?.map((name) => declaring(target, name)) ?? [target]) found.get(file)?.add(path);
    }
  }
  return found;
}

describe('a small file', () => {
  it(`of less than ${LINES} lines is imported by more than one other, or by a test of its own`, () => {
    const small = [...importers()].filter(([path, by]) => {
      const isSmall = path.startsWith('src/') && (texts.get(path) ?? '').split('\n').length <= LINES;
      if (!isSmall || dirname(path) === 'src' || FOUND_BY_NAME.test(path)) return false;
      return by.size <= 1 && ![...by].some((file) => file.startsWith('test/'));
    });
    expect(links.size).toBeGreaterThan(900);
    expect(small.map(([path]) => path).sort()).toEqual(Object.keys(JUSTIFIED).sort());
  });
});

describe('an exported name', () => {
  it('is declared in one file only, so that a search finds it', () => {
    const files = new Map<string, string[]>();
    for (const [path, names] of exportsOf) {
      if (!path.startsWith('src/') || path.includes('/migrations/')) continue;
      for (const name of names) files.set(name, [...(files.get(name) ?? []), path]);
    }
    expect(files.size).toBeGreaterThan(2000);
    expect([...files].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });
});
