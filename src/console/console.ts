import type { AdminActor } from '../domain/auth/index.js';
import type { SavedViewService } from '../domain/console/index.js';
import type { AboutPortal } from '../domain/site/index.js';
import { directionOf } from '../templates/index.js';
import {
  initialsOf,
  languagesOf,
  schemeOf,
  type Layout,
  type LayoutQuery,
  type MenuLinks,
  type Page,
} from '../theme/index.js';
import type { ConsoleConfig } from './config.js';
import { listAllowed, adminCall, type AdminVisit, type ConsoleContext } from './console-visit.js';
import { accountPages } from './pages/account.js';
import { actionPages } from './pages/action-pages.js';
import { batchPages } from './pages/batch-pages.js';
import { bulkPages } from './pages/bulk-pages.js';
import { activityPages } from './pages/activity-pages.js';
import { productDocumentPages } from './pages/document-pages.js';
import { versionPages } from './pages/version-pages.js';
import { exportPage } from './pages/export-page.js';
import { menuPages } from './pages/menu-pages.js';
import { rolePages } from './pages/role-matrix.js';
import { settingPages } from './pages/setting-pages.js';
import { formPages } from './pages/form-pages.js';
import { homePage } from './pages/home.js';
import { inboxPages } from './pages/inbox.js';
import { importPages } from './pages/import-pages.js';
import { listPage } from './pages/list-page.js';
import { recordPage } from './pages/record-page.js';
import { searchPage } from './pages/search.js';
import { usagePages } from './pages/usage-pages.js';
import { callerPages } from './pages/caller-pages.js';
import { growthPages } from './pages/growth-pages.js';
import { viewAsPages } from './pages/view-as.js';
import { viewPages } from './pages/view-pages.js';
import type { AdminResource, ResourceGroup } from './resource.js';

const GROUPS: readonly ResourceGroup[] = ['developers', 'catalog', 'site', 'access', 'system'];

interface LayoutOptions {
  readonly about: AboutPortal;
  readonly config: ConsoleConfig;
  readonly context: ConsoleContext;
  readonly views: Pick<SavedViewService, 'list'>;
  readonly prefix: string;
  /** What modules bring. */
  readonly links: MenuLinks;
}

/** Layout of every page of the console: the navigation that the admin may use, the environment, the account. */
export class ConsoleLayout implements Layout {
  readonly template = 'layouts/console.hbs';

  constructor(private readonly options: LayoutOptions) {}

  async read({ brand, actor, locale, path, scheme, flash }: LayoutQuery) {
    const { about, config, context, prefix, links } = this.options;
    const admin = actor?.context === 'admin' ? actor : null;
    return {
      ...{ brand, locale, flash, path, prefix },
      direction: directionOf(locale),
      scheme: schemeOf(scheme),
      portal: about.links.theme,
      environment: config.environment === '' ? null : { name: config.environment, colour: config.environmentColour },
      navigation: admin ? await this.navigation(admin, path) : [],
      waiting: admin ? await context.waiting.read(admin) : 0,
      admin: admin && { name: admin.admin.name, email: admin.admin.email, initials: initialsOf(admin.admin.name) },
      locales: languagesOf(about, locale),
      loginLinks: links.login,
      accountLinks: links.account,
    };
  }

  private async navigation(actor: AdminActor, path: string) {
    const { context, views, links } = this.options;
    // Pages of the admin's own account, such as /settings/mfa, belong to no resource.
    const isOwn = links.account.some((link) => path === link.path || path.startsWith(`${link.path}/`));
    const pinned = (await views.list(actor.id)).filter(({ isPinned }) => isPinned);
    const listed = context.registry.all.filter(({ operations }) => operations.list !== undefined);
    const allowed = await listAllowed(
      context,
      { actor },
      listed.map(({ operations }) => operations.list),
    );
    const seen = listed.filter(({ operations: { list } }) => list !== undefined && allowed.has(list));
    const groups = GROUPS.map((group) => ({
      group,
      resources: seen
        .filter((resource) => resource.group === group)
        .map((resource) => ({
          resource,
          href: `/${resource.name}`,
          isCurrent: !isOwn && (path === `/${resource.name}` || path.startsWith(`/${resource.name}/`)),
          views: pinned.filter((view) => view.resource === resource.name).map(({ name, query }) => ({ name, query })),
        })),
    }));
    return groups.filter(({ resources }) => resources.length > 0);
  }
}

/** Every page of the console behind the sign-in. */
export function consolePages(context: ConsoleContext): readonly Page[] {
  const own = [
    homePage(context),
    searchPage(context),
    ...inboxPages(context),
    ...accountPages(context),
    ...batchPages(),
    ...viewPages(context),
    ...viewAsPages(context),
    ...productDocumentPages(context),
    ...versionPages(context),
    ...menuPages(context),
    ...settingPages(context),
    ...rolePages(context),
    ...activityPages(context),
    ...usagePages(context),
    ...growthPages(context),
    ...callerPages(context),
  ];
  const addresses = new Set(own.map(({ method, path }) => `${method} ${path}`));
  const generated = context.registry.all.flatMap((resource) => resourcePages(context, resource));
  const all = [...own, ...generated.filter(({ method, path }) => !addresses.has(`${method} ${path}`))];
  return all.map((page) => withPermissions(context, page));
}

/** A page that only admins who may call all its operations can open or send, whatever else is wrong. */
function withPermissions({ operations }: ConsoleContext, page: Page): Page {
  const { needs = [] } = page;
  if (needs.length === 0) return page;
  const handle = async (visit: AdminVisit) => {
    for (const operation of needs) await operations.require(operation, adminCall(visit));
    return page.handle(visit as never);
  };
  return { ...page, handle };
}

function resourcePages(context: ConsoleContext, resource: AdminResource): Page[] {
  const makers = [listPage, exportPage, bulkPages, importPages, formPages, actionPages, recordPage];
  return makers.flatMap((make) => make(context, resource));
}
