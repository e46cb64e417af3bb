export {
  buildArtifacts,
  describeConfigured,
  documentAsJson,
  documentAsYaml,
  postmanAsJson,
  type Artifact,
  type ArtifactSettings,
} from './artifacts.js';
export { buildClient, type TypeGenerator } from './client.js';
export { buildDocument, type DocumentSettings, type OpenApiDocument } from './document.js';
export { loadFrom } from './project-package.js';
export { JsonSchemaWriter } from './json-schema.js';
export { findRedocly, lintDocument, readTestedRedocly, type LintProblem } from './redocly.js';
