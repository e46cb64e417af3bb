import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { PortalRoute, PortalServices } from '../api/index.js';
import {
  buildDocument,
  documentAsJson,
  documentAsYaml,
  postmanAsJson,
  type OpenApiDocument,
} from '../openapi/index.js';
import type { PortalConfig } from '../config/index.js';
import { DocsSurface, type ApiDocuments, type DescribedApi, type DocsContext, type DocsFile } from '../theme/index.js';
import type { DomainBase } from './base.js';
import { templateFolders } from './templates.js';

/** The reference of the portal's own API, if `docs.enabled`. */
export function createDocs(base: DomainBase, services: PortalServices, routes: readonly PortalRoute[]): DocsSurface[] {
  const { config, logger } = base;
  const { docs, theme, portalApi, app } = config;
  if (!docs.enabled) return [];
  const [published = '', ...others] = templateFolders(base);
  return [
    new DocsSurface({
      ...{ services, logger, prefix: docs.path, publicContexts: docs.contexts },
      documents: describedApi(routes, config),
      indexes: services.catalog.indexes,
      authenticate: (context, token, info) => services.auth.guard.authenticate(context, token, info),
      folders: [published, ...others.map((folder) => join(folder, 'theme'))],
      wordFolders: [published, ...others],
      imageHosts: theme.imageHosts,
      apiPath: portalApi.prefix,
      adminPath: services.paths.admin,
      files: { openapi: docs.openapi, postman: docs.postman },
      keep: app.env !== 'development',
    }),
  ];
}

// Routes do not change at run time, so everything is built once, on first use.
function describedApi(routes: readonly PortalRoute[], config: PortalConfig): ApiDocuments {
  const { docs } = config;
  const documents = memoize((context: DocsContext | 'all') =>
    buildDocument(routes, config, context === 'all' ? undefined : context),
  );
  const of = memoize((context: DocsContext): DescribedApi => {
    const json = JSON.stringify(documents(context));
    return { json, hash: createHash('sha256').update(json).digest('hex') };
  });
  const files = memoize((address: string) => {
    const [file, context] = address.split(' ') as [DocsFile, DocsContext | 'all'];
    const bytes = Buffer.from(writeDocument(file, documents(context), config));
    return { bytes, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
  });
  return {
    of,
    file: (file, contexts) => {
      if (!(file === 'postman.json' ? docs.postman : docs.openapi)) return null;
      return files(`${file} ${contexts.length > 1 ? 'all' : (contexts[0] ?? 'all')}`);
    },
  };
}

function writeDocument(file: DocsFile, document: OpenApiDocument, config: PortalConfig): string {
  if (file === 'postman.json') return postmanAsJson(document, config);
  return file === 'openapi.yaml' ? documentAsYaml(document) : documentAsJson(document);
}

function memoize<Key, Value>(build: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? build(key);
    values.set(key, value);
    return value;
  };
}
