import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packageFolder } from '../../core/manifest.js';
import { UsageError } from '../errors.js';

/** A file of the package that a host may copy. */
export interface ShippedTemplate {
  /** Below the host's `theme.viewsDir`, with `/`: `pages/landing.hbs`, `mail/layout.hbs`, `lang/en.json`. */
  readonly path: string;
  readonly text: string;
}

/** Where the folders of `templates/` go in a host's folder. */
const PLACES = [
  ['theme', ''],
  ['mail', 'mail/'],
  ['lang', 'lang/'],
] as const;

/** Every view, mail and message file of the package, by path. */
export async function listShippedTemplates(): Promise<ShippedTemplate[]> {
  const places = PLACES.map(async ([source, prefix]) => {
    const folder = join(packageFolder(), 'templates', source);
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return files.map(async (file) => ({
      path: prefix + relative(folder, file).replaceAll('\\', '/'),
      text: await readFile(file, 'utf8'),
    }));
  });
  const views = await Promise.all((await Promise.all(places)).flat());
  return views.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The files selected by `--only`: files, or folders with everything below; all without it.
 * @param viewsDir paths may also be given from the project's root: `theme/pages`
 * @throws UsageError for a path that matches nothing
 */
export async function selectByPath<T extends { readonly path: string }>(
  files: readonly T[],
  only: readonly string[] | undefined,
  viewsDir: string,
): Promise<T[]> {
  if (only === undefined) return [...files];
  const chosen = new Set<T>();
  for (const word of only) {
    const found = matchFiles(files, word, viewsDir);
    if (found.length === 0) throw await refusePath(files, word);
    for (const file of found) chosen.add(file);
  }
  return files.filter((file) => chosen.has(file));
}

function matchFiles<T extends { readonly path: string }>(files: readonly T[], word: string, viewsDir: string): T[] {
  const path = tidyPath(word);
  const inside = `${tidyPath(viewsDir)}/`;
  const names = [path, ...(`${path}/`.startsWith(inside) ? [path.slice(inside.length)] : [])];
  return files.filter((file) =>
    names.some((name) => name === '' || name === '.' || file.path === name || file.path.startsWith(`${name}/`)),
  );
}

function tidyPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+|(?<!\/)\/+$/g, '');
}

async function refusePath(files: readonly { readonly path: string }[], word: string): Promise<UsageError> {
  const { findClosest } = await import('../../core/closest.js');
  const folders = files.flatMap(({ path }) =>
    path.split('/').map((_, index, parts) => parts.slice(0, index).join('/')),
  );
  const names = files.map(({ path }) => path.split('/').at(-1) ?? '');
  const near = findClosest(
    tidyPath(word),
    new Set([...files.map(({ path }) => path), ...folders.filter(Boolean), ...names]),
  );
  // A bare file name is a common slip; suggest its full path.
  const suggestion = files.find(({ path }) => near !== undefined && path.endsWith(`/${near}`))?.path ?? near;
  const hint =
    suggestion === undefined
      ? `Paths are such as ${files[0]?.path ?? 'pages/landing.hbs'}.`
      : `Did you mean ${suggestion}?`;
  return new UsageError(`There is no ${word} to choose. ${hint}`);
}
