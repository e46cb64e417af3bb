import {
  isStoredSdl,
  type ProductRecord,
  type ProductService,
  type SpecRead,
  type Viewer,
} from '../../domain/catalog/index.js';
import type { PortalServices } from '../../domain/services.js';
import { isHeld, readKnownTags, RawReply } from '../../http/index.js';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
/** Media types for YAML: the registered one (RFC 9512) and older ones. */
const YAML_TYPES = new Set([YAML_TYPE, 'text/yaml', 'application/x-yaml', 'text/x-yaml', 'application/openapi+yaml']);

const GRAPHQL_TYPE = 'application/graphql';

/** Declaration of routes that answer with a specification. */
export const SPEC_DOCUMENT = { types: [JSON_TYPE, YAML_TYPE, GRAPHQL_TYPE], conditional: true } as const;

/** Declaration of routes that take a specification. */
export const specUpload = {
  field: 'spec',
  types: ['application/json', 'application/yaml', 'text/yaml', 'application/graphql'],
  maxBytes: ({ catalog }: PortalServices) => catalog.limits.maxSpecBytes,
  orJson: true,
} as const;

/** The same of Arazzo documents, of which there are no others. */
export const WORKFLOW_DOCUMENT = { types: [JSON_TYPE, YAML_TYPE], conditional: true } as const;

export const workflowUpload = {
  field: 'workflows',
  types: ['application/json', 'application/yaml', 'text/yaml'],
  maxBytes: ({ catalog }: PortalServices) => catalog.limits.maxWorkflowBytes,
} as const;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The document in the client's preferred format, JSON or YAML; a GraphQL schema as it is. Not sent again when the client's copy is current (RFC
 * 9110, 13.1.2).
 * @throws NotFoundError
 */
export async function replyWithSpec(
  products: ProductService,
  reference: string,
  viewer: Viewer,
  headers: Headers,
): Promise<RawReply> {
  const read = (known?: string) => products.spec(reference, viewer, known);
  return replyWithDocument(products, headers, read);
}

/** The Arazzo document of a product. @param product as it was found for its reader. @throws NotFoundError */
export function replyWithWorkflows(
  products: ProductService,
  product: ProductRecord,
  headers: Headers,
): Promise<RawReply> {
  return replyWithDocument(products, headers, async () => {
    const { hash, document } = await products.workflows.readDocument(product);
    return { hash, document: Buffer.from(document) };
  });
}

/**
 * The same for any document.
 * @param read gives its bytes, unless the copy that the client holds is current
 */
export async function replyWithDocument(
  products: ProductService,
  headers: Headers,
  read: (known?: string) => Promise<SpecRead>,
): Promise<RawReply> {
  const suffix = prefersYaml(headerText(headers.accept)) ? '-yaml' : '';
  const known = readKnownTags(headers['if-none-match']);
  const candidate = known.find((tag) => tag.endsWith(suffix))?.slice(0, 64);
  const { hash, document } = await read(candidate);
  const common = {
    ETag: `"${hash}${suffix}"`,
    Vary: 'Accept, Authorization, Origin',
    'Cache-Control': 'private, no-cache',
  };
  if (isHeld(headers['if-none-match'], `${hash}${suffix}`)) return new RawReply(304, '', common);
  const json = document ?? (await read()).document ?? Buffer.alloc(0);
  const body = suffix === '' ? json : await products.specAsYaml(json, hash);
  const type = isStoredSdl(json) ? GRAPHQL_TYPE : suffix === '' ? JSON_TYPE : YAML_TYPE;
  return new RawReply(200, body, {
    ...common,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': String(body.length),
  });
}

function prefersYaml(accept: string): boolean {
  let yaml = 0;
  let json = 0;
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1) || 0;
    if (YAML_TYPES.has(type)) yaml = Math.max(yaml, quality);
    else if (type === JSON_TYPE) json = Math.max(json, quality);
  }
  return yaml > json;
}

function headerText(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
