export { buildDocument, documentPath, type DocumentSettings, type OpenApiDocument } from './document.js';
