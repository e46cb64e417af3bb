import type { PortalServices } from '../api/index.js';
import { MenuService, PublicSettings } from '../domain/site/index.js';
import type { DomainBase } from './base.js';

export function createSite({ config, ...base }: DomainBase, modules: ReadonlySet<string>): PortalServices['site'] {
  const { app, theme, docs } = config;
  return {
    about: {
      name: app.name,
      defaultLocale: theme.locale,
      locales: theme.locales,
      features: { registration: config.accounts.registration, mfa: modules.has('mfa'), oidc: modules.has('oidc') },
      links: { theme: theme.enabled ? `/${theme.routePrefix}` : null, docs: docs.enabled ? docs.path : null },
    },
    menus: new MenuService({ ...base, defaultLocale: theme.locale }),
    settings: new PublicSettings(base.database),
  };
}
