import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

interface Translation {
  name: string;
  short_description: string;
  description: string;
}

interface Category extends Translation {
  slug: string;
  translations: { ar: Translation };
}

export interface Product extends Category {
  visibility: 'public' | 'private' | 'draft';
  approval: 'auto' | 'manual';
  gateway_product_id: string;
  tags: string[];
  categories: string[];
  audiences: string[];
  spec?: string;
}

interface MenuItem {
  label: string;
  url?: string;
  route?: string;
  visibility: string;
  translations: { ar: { label: string } };
  children?: MenuItem[];
}

interface Catalog {
  audiences: { name: string; description: string }[];
  categories: Category[];
  products: Product[];
  menus: { slug: string; name: string; items: MenuItem[] }[];
  developers: { first_name: string; last_name: string; email: string; audiences: string[] }[];
}

/** Address of a file of the repository; compiled tests run from `dist-test/test/demo`. */
export const repositoryFile = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

const readYaml = (path: string): unknown => parse(readFileSync(fileURLToPath(repositoryFile(path)), 'utf8'));

export const catalog = readYaml('templates/demo/catalog.yaml') as Catalog;

export const loadDocument = (product: Product): JsonObject => readYaml(`templates/demo/${product.spec}`) as JsonObject;

/** Follows a local `$ref` once; a node without one is returned as it is. Undefined when the target does not exist. */
export function resolve(document: JsonObject, node: Json): JsonObject {
  const reference = (node as JsonObject).$ref;
  if (typeof reference !== 'string') return node as JsonObject;
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<Json | undefined>((at, step) => (at as JsonObject | undefined)?.[step], document) as JsonObject;
}

export interface Operation {
  method: string;
  path: string;
  operation: JsonObject;
  parameters: JsonObject[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Every operation of a document with its own parameters and those of its path, references followed. */
export function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, node]) => {
        const operation = node as JsonObject;
        const shared = ((item as JsonObject).parameters ?? []) as Json[];
        const parameters = [...shared, ...((operation.parameters ?? []) as Json[])];
        return { method, path, operation, parameters: parameters.map((parameter) => resolve(document, parameter)) };
      }),
  );
}
