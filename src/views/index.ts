export { TemplateFiles, type TemplateFile } from './template-files.js';
export { ViewEngine, type ViewEngineOptions, type ViewScene } from './view-engine.js';
export { Dictionary, directionOf, formatDate, type Words, type WordValues } from './words.js';
