export { TemplateFiles, type TemplateFile } from './template-files.js';
export { ViewEngine, type ViewEngineOptions, type RenderContext } from './view-engine.js';
export { checkTranslation, readTranslatable, type TranslationReport } from './translation-check.js';
export {
  Dictionary,
  directionOf,
  formatDate,
  formatShort,
  say,
  UnreadableMessagesError,
  type Messages,
  type ShortStyle,
  type MessageValues,
} from './messages.js';
