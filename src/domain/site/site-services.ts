import { MenuItemService } from './menu-item-service.js';
import { MenuService } from './menu-service.js';
import { SettingService } from './setting-service.js';
import type { SiteParts } from './site-parts.js';

/** Public facts about a portal that need no database. */
export interface AboutPortal {
  readonly name: string;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  /** As the configuration has it, before what admins set. */
  readonly look: { readonly preset: string; readonly colour: string | null };
  /** Where the portal is reached from outside, without a slash at its end. */
  readonly baseUrl: () => string;
  /** Features that a front end may offer. */
  readonly features: { readonly registration: boolean; readonly mfa: boolean; readonly oidc: boolean };
  /** Paths of the other surfaces; null if switched off. */
  readonly links: { readonly theme: string | null; readonly docs: string | null };
  /** What agents are served, and the most characters of their texts; null if nothing is. */
  readonly agents: {
    readonly maxLength: number;
    readonly maxFullLength: number;
    /** Path of the MCP endpoint; null without it. */
    readonly mcp: string | null;
  } | null;
}

export interface SiteServices {
  readonly about: AboutPortal;
  readonly menus: MenuService;
  readonly menuItems: MenuItemService;
  readonly settings: SettingService;
}

export function createSiteServices(parts: SiteParts, about: AboutPortal): SiteServices {
  return {
    about,
    menus: new MenuService(parts),
    menuItems: new MenuItemService(parts),
    settings: new SettingService(parts),
  };
}
