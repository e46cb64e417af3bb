/** A part of the API that has a document of its own. */
export type DocsContext = 'consumer' | 'admin';

export type DocsFile = 'openapi.json' | 'openapi.yaml' | 'postman.json';

/** The portal's own API, described; built from the declared routes. */
export interface ApiDocuments {
  /** The OpenAPI document of one part as JSON, with a hash of it. */
  readonly of: (context: DocsContext) => DescribedApi;
  /** A file for tools, of these parts: the same object for everybody. Null when the operator does not offer it. */
  readonly file: (file: DocsFile, contexts: readonly DocsContext[]) => WrittenFile | null;
}

export interface DescribedApi {
  readonly json: string;
  readonly hash: string;
}

export interface WrittenFile {
  readonly bytes: Buffer;
  /** Of an `ETag`, without quotes. */
  readonly tag: string;
}
