import type { Page } from '../theme/index.js';
import type { ConsoleContext } from './console-visit.js';
import type { AdminResource } from './resource.js';
import { actionPages } from './pages/action-pages.js';
import { formPages } from './pages/form-pages.js';
import { homePage } from './pages/home.js';
import { listPage } from './pages/list-page.js';
import { recordPage } from './pages/record-page.js';

/** Every page of the console behind the sign-in. */
export function consolePages(context: ConsoleContext): readonly Page[] {
  return [homePage(context), ...context.registry.all.flatMap((resource) => resourcePages(context, resource))];
}

function resourcePages(context: ConsoleContext, resource: AdminResource): Page[] {
  const makers = [listPage, formPages, actionPages, recordPage];
  return makers.flatMap((make) => make(context, resource));
}
