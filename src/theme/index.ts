export type { ApiDocuments, DescribedApi, DocsContext, DocsFile } from './docs/api-documents.js';
export { DocsSurface } from './docs/docs-surface.js';
export { withHostPages } from './host-pages.js';
export { definePage, Download, Redirect, View, type Audience, type FormState, type Page, type Visit } from './page.js';
export { themePages } from './pages/index.js';
export type { ThemeServices } from './services.js';
export { CsrfGuard } from './session/csrf.js';
export { WebSessions } from './session/web-session.js';
export { Theme } from './theme.js';
