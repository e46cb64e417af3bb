/**
 * Makes a small copy of a large OpenAPI document for tests: some whole operations, evenly chosen, and all that they refer to.
 *
 *     node scripts/trim-openapi.mjs openapi.json 10 > test/data/openapi/name.json
 *     node scripts/trim-openapi.mjs openapi.json 10 /paths/that/must/be/there
 */
import { readFile } from 'node:fs/promises';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];
const [, , file, count = '10', ...wanted] = process.argv;
const document = JSON.parse(await readFile(file, 'utf8'));

const all = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({ path, method })),
);
const step = Math.max(1, all.length / Number(count));
const chosen = all.filter(({ path }, place) => wanted.includes(path) || Math.floor(place % step) === 0);

const paths = {};
for (const { path, method } of chosen) {
  const { [method]: operation, ...rest } = document.paths[path];
  const shared = Object.fromEntries(Object.entries(rest).filter(([key]) => !METHODS.includes(key)));
  paths[path] = { ...shared, ...paths[path], [method]: operation };
}

const kept = { ...document, paths, components: {} };
delete kept['x-webhooks'];
delete kept.webhooks;
const open = [paths];
const security = document.components?.securitySchemes;
if (security) kept.components.securitySchemes = security;
for (const value of open) {
  if (typeof value !== 'object' || value === null) continue;
  if (typeof value.$ref === 'string') keep(value.$ref);
  open.push(...Object.values(value));
}
process.stdout.write(`${JSON.stringify(kept)}\n`);

function keep(pointer) {
  const [, kind, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(pointer) ?? [];
  if (kind === undefined || kept.components[kind]?.[name]) return;
  const value = document.components[kind][decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')];
  kept.components[kind] = { ...kept.components[kind], [name]: value };
  open.push(value);
}
