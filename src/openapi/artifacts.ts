import { stringify } from 'yaml';
import type { PortalRoute } from '../api/index.js';
import { buildDocument, type DocumentSettings, type OpenApiDocument } from './document.js';
import { buildPostmanCollection } from './postman/collection.js';
import { renderReference } from './redocly.js';

/** Which artifacts to build, and from what. */
export interface ArtifactSettings extends DocumentSettings {
  readonly app: { readonly name: string; readonly url?: string | undefined };
  readonly docs: {
    readonly servers: readonly string[];
    readonly openapi: boolean;
    readonly postman: boolean;
    readonly contexts: readonly string[];
  };
}

export interface Artifact {
  readonly name: string;
  readonly content: string;
}

/** The document of the contexts in `docs.contexts`. */
export function describeConfigured(routes: readonly PortalRoute[], settings: ArtifactSettings): OpenApiDocument {
  const [only, second] = (['consumer', 'admin'] as const).filter((context) => settings.docs.contexts.includes(context));
  return buildDocument(routes, settings, second === undefined ? only : undefined);
}

export function documentAsJson(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

export function documentAsYaml(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** @param settings for the address of the API, if the document does not name one */
export function postmanAsJson(document: OpenApiDocument, settings: ArtifactSettings): string {
  return `${JSON.stringify(buildPostmanCollection(document, baseUrlOf(document, settings)), null, 2)}\n`;
}

function baseUrlOf({ servers: [first] }: OpenApiDocument, { app }: ArtifactSettings): string {
  const { url = '/' } = first ?? {};
  if (/^https?:/.test(url)) return url;
  return `${(app.url ?? 'http://localhost:3000').replace(/(?<!\/)\/+$/, '')}${url === '/' ? '' : url}`;
}

/**
 * The files that `docs.openapi` and `docs.postman` enable, and the reference page. The same input gives the same bytes.
 * @param redocly the program that renders the page, from `findRedocly`
 */
export async function buildArtifacts(
  document: OpenApiDocument,
  settings: ArtifactSettings,
  redocly: string,
): Promise<Artifact[]> {
  const json = documentAsJson(document);
  return [
    ...(settings.docs.openapi
      ? [
          { name: 'openapi.json', content: json },
          { name: 'openapi.yaml', content: documentAsYaml(document) },
        ]
      : []),
    ...(settings.docs.postman ? [{ name: 'postman_collection.json', content: postmanAsJson(document, settings) }] : []),
    { name: 'index.html', content: await renderReference(json, document.info.title, redocly) },
  ];
}
