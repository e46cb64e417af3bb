export { TemplateFiles, type TemplateFile } from './template-files.js';
export { ViewEngine, type ViewEngineOptions, type RenderContext } from './view-engine.js';
export { checkTranslation, readTranslatable, type TranslationReport } from './translation-check.js';
export {
  Dictionary,
  directionOf,
  formatDate,
  formatShort,
  say,
  UnreadableWordsError,
  type Messages,
  type ShortStyle,
  type WordValues,
} from './messages.js';
