import type { OpenApiDocument } from '../document.js';
import type { Operation } from '../operation.js';
import type { RunNames } from './names.js';
import type { ResourcePaths } from './resource-paths.js';
import type { PostmanContext } from './variables.js';

/** The ingredients of a request of the collection. */
export interface RequestParts {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly context: PostmanContext;
  readonly document: OpenApiDocument;
  readonly paths: ResourcePaths;
  readonly names: RunNames;
}
