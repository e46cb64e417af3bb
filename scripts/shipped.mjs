// What ships, by the lockfile: the packages that an installation fetches, and those that the build makes part of our own files
// (scripts/bundle.mjs), which are development dependencies by their place in package.json and production by what they do.
import { readFileSync } from 'node:fs';

/** Bundled into dist, with all that they need. */
export const BUNDLED = ['@modelcontextprotocol/server'];

export const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

const bundled = new Set();
for (const name of BUNDLED) bundle(find('', name));

/** @param path of a package in the lockfile, such as node_modules/zod */
export function isBundled(path) {
  return bundled.has(path);
}

/** @param path of a package in the lockfile; not '', which is ours */
export function isShipped(path) {
  return isBundled(path) || (packages[path] !== undefined && !packages[path].dev && !packages[path].link);
}

/** As Node finds packages: in the folder itself, then upwards. @returns a path of the lockfile, or undefined */
export function find(path, name) {
  const parents = path.split(/(?:^|\/)node_modules\//).slice(1);
  for (let depth = parents.length; depth >= 0; depth -= 1) {
    const at = [...parents.slice(0, depth), name].map((part) => `node_modules/${part}`).join('/');
    if (packages[at]) return at;
  }
  return undefined;
}

export function nameOf(path) {
  return path.split('node_modules/').at(-1);
}

function bundle(path) {
  if (path === undefined || bundled.has(path)) return;
  bundled.add(path);
  for (const name of Object.keys(packages[path].dependencies ?? {})) bundle(find(path, name));
}
