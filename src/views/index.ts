export { TemplateFiles, type TemplateFile } from './template-files.js';
export { ViewEngine, type ViewEngineOptions, type ViewScene } from './view-engine.js';
export { Dictionary, directionOf, formatDate, say, type Words, type WordValues } from './words.js';
