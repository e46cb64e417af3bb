export { API_CATALOG_TYPE, readApiCatalog } from './api-catalog.js';
export { catalogMarkdown } from './catalog-markdown.js';
export { writeLlms, writeLlmsFull } from './llms-text.js';
export { mcpEndpoint } from './mcp-endpoint.js';
export { productMarkdown, readProductFacts } from './product-markdown.js';
export { readWorkflow, workflowListMarkdown, workflowMarkdown, workflowText } from './workflow-markdown.js';
export type { Reading } from './reading.js';
