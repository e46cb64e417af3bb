import { readManifest } from '../core/manifest.js';
import type { PortalRoute } from '../api/index.js';
import { readExamples } from './examples.js';
import type { JsonSchema } from './json-schema.js';
import { JsonSchemaWriter } from './json-schema.js';
import { makeSharedComponents, type Components } from './components.js';
import { writeOperation, type Operation } from './operation.js';
import { describeTags, groupTags, type Tag, type TagGroup } from './tags.js';
import { WEBHOOK_TAG, writeWebhooks, type WebhookOperation } from './webhooks.js';

type Context = PortalRoute['context'];

/** Settings that the document depends on besides the routes; the whole configuration fits. */
export interface DocumentSettings {
  readonly app: { readonly name: string };
  readonly portalApi: {
    readonly prefix: string;
    readonly adminPrefix: string;
    readonly pagination: { readonly perPage: number; readonly maxPerPage: number };
  };
  readonly docs: { readonly servers: readonly string[] };
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly 'x-tagGroups': readonly TagGroup[];
  /** Path below the server's URL → method → operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Type of an event → what endpoints are told. */
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: Components;
}

/**
 * The OpenAPI document of the declared routes. The same routes and settings give the same document, byte for byte.
 * @param context includes only routes of this context; both if omitted
 */
export function buildDocument(
  routes: readonly PortalRoute[],
  settings: DocumentSettings,
  context?: Context,
): OpenApiDocument {
  const documented = routes.filter((route) => context === undefined || route.context === context);
  const { name } = settings.app;
  const shared = makeSharedComponents(settings);
  const schemas = new JsonSchemaWriter(shared.schemas);
  const examples = readExamples(settings.portalApi);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of documented) {
    const operations = (paths[documentPath(route, settings.portalApi.adminPrefix)] ??= {});
    operations[route.method] = writeOperation(route, schemas, examples[route.operation]);
  }
  const webhooks = writeWebhooks(schemas, context);
  return {
    openapi: '3.1.0',
    info: {
      title: `${name} API`,
      version: readManifest().version,
      description: introduction(name),
      contact: { name },
      // OpenAPI requires an SPDX expression or a URL; the terms are up to the operator.
      license: { name: 'Terms of the operator', identifier: 'LicenseRef-operator' },
    },
    servers: serversOf(settings),
    tags: [...describeTags(documented, name), WEBHOOK_TAG],
    'x-tagGroups': [...groupTags(documented), { name: 'Webhooks', tags: [WEBHOOK_TAG.name] }],
    ...{ paths, webhooks },
    components: selectUsed({ ...shared, schemas: schemas.schemas }, { paths, webhooks }),
  };
}

/**
 * The path of a route below the API prefix, with parameters in OpenAPI notation.
 * @internal
 */
export function documentPath({ context, path }: Pick<PortalRoute, 'context' | 'path'>, adminPrefix: string): string {
  return `${context === 'admin' ? `/${adminPrefix}` : ''}${path}`.replace(/:(\w+)/g, '{$1}');
}

function serversOf({ docs, portalApi }: DocumentSettings): { url: string }[] {
  const urls = docs.servers.length > 0 ? docs.servers : [portalApi.prefix];
  return urls.map((url) => ({ url: url === '/' ? url : url.replace(/(?<!\/)\/+$/, '') }));
}

function introduction(name: string): string {
  return `The REST API of ${name}.

Every answer is an envelope: \`success\`, \`status\`, \`message\`, then \`data\` or \`errors\`, and \`meta\`. Names are
\`snake_case\`, instants ISO 8601 in UTC. Sign in, then send the access token as \`Authorization: Bearer …\`; tokens of
developers open the consumer part, those of admins the admin part.

\`errors\` names fields and says in sentences what is wrong with each. A field that an operation does not have is refused;
a \`PUT\` takes a record back as it was read, and the fields that are \`readOnly\` change nothing. Every answer has an
\`X-Request-Id\`: quote it when you ask for help. A record that can be changed comes with an \`ETag\`; sent back as \`If-Match\`, the change is made only if
nobody else was faster. POSTs that take an \`Idempotency-Key\` may be sent again without doing it twice.`;
}

/** Only components that something refers to, directly or through another component. */
function selectUsed(all: Components, operations: object): Components {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit((all[kind as keyof Components] as Record<string, unknown>)[name] ?? {});
    }
  };
  visit(operations);
  const schemes = JSON.stringify(operations);
  const keep = (kind: string, name: string) =>
    kind === 'securitySchemes' ? schemes.includes(`{"${name}":[]}`) : used.has(`${kind}/${name}`);
  const kept: unknown = Object.fromEntries(
    Object.entries(all)
      .map(([kind, entries]) => [
        kind,
        Object.fromEntries(Object.entries(entries as JsonSchema).filter(([name]) => keep(kind, name))),
      ])
      .filter(([, entries]) => Object.keys(entries as JsonSchema).length > 0),
  );
  return kept as Components;
}
