import type { PortalServices } from '../api/index.js';
import { MenuItemService, MenuService, SettingService } from '../domain/site/index.js';
import type { DomainBase } from './base.js';

export function createSite({ config, ...base }: DomainBase, modules: ReadonlySet<string>): PortalServices['site'] {
  const { app, theme, docs } = config;
  const parts = { ...base, defaultLocale: theme.locale, locales: theme.locales };
  return {
    about: {
      name: app.name,
      defaultLocale: theme.locale,
      locales: theme.locales,
      features: { registration: config.accounts.registration, mfa: modules.has('mfa'), oidc: modules.has('oidc') },
      links: { theme: theme.enabled ? `/${theme.routePrefix}` : null, docs: docs.enabled ? docs.path : null },
    },
    menus: new MenuService(parts),
    menuItems: new MenuItemService(parts),
    settings: new SettingService(parts),
  };
}
