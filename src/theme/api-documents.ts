/** A part of the API with a document of its own. */
export type DocsContext = 'consumer' | 'admin';

export type DocsFile = 'openapi.json' | 'openapi.yaml' | 'postman.json';

/** The documents of the portal's own API, built from the declared routes. */
export interface ApiDocuments {
  /** The OpenAPI document of one part as JSON, and its hash. */
  readonly of: (context: DocsContext) => DescribedApi;
  /**
   * A file for tools that covers these parts; the same object for everybody. Null if the operator does not offer it.
   */
  readonly file: (file: DocsFile, contexts: readonly DocsContext[]) => WrittenFile | null;
}

export interface DescribedApi {
  readonly json: string;
  readonly hash: string;
}

export interface WrittenFile {
  readonly bytes: Buffer;
  /** Value of the `ETag`, without quotes. */
  readonly tag: string;
}
