import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import Joi from 'joi';
import { parse } from 'yaml';
import type { CategoryInput } from './category.js';
import { APPROVALS, SLUG, VISIBILITIES } from './products/product.js';
import type { ProductInput } from './products/product-input.js';
import type { Translations } from './translation.js';

/** The menus of the demo, which belong to another domain; see {@link DemoMenus}. */
export interface DemoMenu {
  readonly slug: string;
  readonly name: string;
  readonly items: readonly DemoMenuItem[];
}

export interface DemoMenuItem {
  readonly label: string;
  readonly url?: string;
  readonly route?: string;
  readonly visibility: 'everyone' | 'guests' | 'developers';
  readonly translations?: Readonly<Record<string, { readonly label: string }>>;
  readonly children?: readonly DemoMenuItem[];
}

export interface DemoDeveloper {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly audiences: readonly string[];
}

interface DemoProduct {
  readonly input: ProductInput;
  readonly spec: string | undefined;
  /** An Arazzo document. */
  readonly workflows: Buffer | null;
}

/** The content of `templates/demo`. */
export interface DemoContent {
  readonly audiences: readonly { readonly name: string; readonly description: string }[];
  readonly categories: readonly CategoryInput[];
  readonly products: readonly DemoProduct[];
  readonly menus: readonly DemoMenu[];
  readonly developers: readonly DemoDeveloper[];
}

interface FileTexts {
  readonly name: string;
  readonly short_description: string;
  readonly description: string;
}

interface FileCategory extends FileTexts {
  readonly slug: string;
  readonly translations: Readonly<Record<string, Partial<FileTexts>>>;
}

interface FileProduct extends FileCategory, Pick<ProductInput, 'visibility' | 'approval'> {
  readonly gateway_product_id: string;
  readonly tags: readonly string[];
  readonly categories: readonly string[];
  readonly audiences: readonly string[];
  readonly spec?: string;
  readonly workflows?: string;
}

interface CatalogFile extends Pick<DemoContent, 'audiences' | 'menus'> {
  readonly company?: { readonly name: string };
  readonly categories: readonly FileCategory[];
  readonly products: readonly FileProduct[];
  readonly developers: readonly {
    readonly first_name: string;
    readonly last_name: string;
    readonly email: string;
    readonly audiences: readonly string[];
  }[];
}

const name = Joi.string().max(200);
const names = Joi.array().items(Joi.string().max(100)).default([]);
const slug = Joi.string().pattern(SLUG).required();
const texts = {
  name,
  short_description: Joi.string().max(500).allow('').default(''),
  description: Joi.string().max(262_144).allow('').default(''),
};
const translations = (fields: Joi.PartialSchemaMap) =>
  Joi.object().pattern(Joi.string().max(16), Joi.object(fields)).default({});
const category = { slug, ...texts, name: name.required(), translations: translations({ ...texts, name }) };
const item = Joi.object({
  label: name.required(),
  url: Joi.string().max(2048),
  route: Joi.string().max(255),
  visibility: Joi.string().valid('everyone', 'guests', 'developers').required(),
  translations: translations({ label: name.required() }),
  children: Joi.array().items(Joi.link('#item')).default([]),
})
  .xor('url', 'route')
  .id('item');

const catalogFile = Joi.object<CatalogFile>({
  company: Joi.object({ name }),
  audiences: Joi.array()
    .items(Joi.object({ name: name.max(100).required(), description: texts.short_description }))
    .default([]),
  categories: Joi.array().items(Joi.object(category)).default([]),
  products: Joi.array()
    .items(
      Joi.object({
        ...category,
        visibility: Joi.string()
          .valid(...VISIBILITIES)
          .required(),
        approval: Joi.string()
          .valid(...APPROVALS)
          .required(),
        gateway_product_id: Joi.string().max(100).required(),
        tags: Joi.array().items(Joi.string().max(50)).default([]),
        categories: names,
        audiences: names,
        spec: Joi.string().max(255),
        workflows: Joi.string().max(255),
      }),
    )
    .default([]),
  menus: Joi.array()
    .items(Joi.object({ slug, name: name.required(), items: Joi.array().items(item).default([]) }))
    .default([]),
  developers: Joi.array()
    .items(
      Joi.object({ first_name: name.required(), last_name: name.required(), email: name.required(), audiences: names }),
    )
    .default([]),
});

/**
 * Reads `catalog.yaml` from a folder and the documents it references.
 * @throws Error naming the file and every fault in it
 */
export async function readDemoContent(folder: string): Promise<DemoContent> {
  const path = resolve(folder, 'catalog.yaml');
  const result = catalogFile.validate(parse(await readFile(path, 'utf8')), { abortEarly: false });
  if (result.error) throw new Error(`${path}: ${result.error.message}`);
  const { value } = result;
  const products = value.products.map(async ({ spec, workflows, ...product }) => ({
    input: { ...camelTexts(product), ...pickRemaining(product) },
    spec: spec === undefined ? undefined : await readFile(resolveWithin(folder, spec), 'utf8'),
    workflows: workflows === undefined ? null : await readFile(resolveWithin(folder, workflows)),
  }));
  return {
    audiences: value.audiences,
    categories: value.categories.map(camelTexts),
    products: await Promise.all(products),
    menus: value.menus,
    developers: value.developers.map(({ first_name, last_name, ...rest }) => ({
      firstName: first_name,
      lastName: last_name,
      ...rest,
    })),
  };
}

function camelTexts({ slug, name, short_description, description, translations }: FileCategory): CategoryInput {
  const camel = Object.entries(translations).map(([locale, { short_description: shortDescription, ...rest }]) => {
    return [locale, { ...rest, shortDescription }] as const;
  });
  return {
    slug,
    name,
    shortDescription: short_description,
    description,
    translations: Object.fromEntries(camel) satisfies Translations,
  };
}

function pickRemaining({ visibility, approval, gateway_product_id, tags, categories, audiences }: FileProduct) {
  return { visibility, approval, gatewayProductId: gateway_product_id, tags, categories, audiences };
}

function resolveWithin(folder: string, file: string): string {
  const path = resolve(folder, file);
  if (path.startsWith(resolve(folder) + sep)) return path;
  throw new Error(`${file} lies outside of ${folder}`);
}
