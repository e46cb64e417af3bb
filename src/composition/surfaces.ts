import type { PortalRoute } from '../api/index.js';
import type { PageSurface } from '../http/index.js';
import type { DomainBase } from './base.js';
import { createDocs } from './docs.js';
import type { InstalledModules } from '../extend/modules.js';
import type { PortalParts } from '../extend/portal-parts.js';
import { createTheme } from './theme.js';

interface Surfaces {
  readonly surfaces: readonly PageSurface[];
  /** Where `GET /` leads: to the pages, or without them to what everybody may ask of the API; null without both. */
  readonly home: string | null;
}

/** What is for people: the web pages, and the reference of the API. */
export function createSurfaces(
  base: DomainBase,
  parts: PortalParts,
  installed: InstalledModules,
  routes: readonly PortalRoute[],
): Surfaces {
  const pages = createTheme(base, parts, installed);
  const { prefix, enabled } = base.config.portalApi;
  const home = pages[0]?.prefix ?? (enabled ? `${prefix}/api-products` : null);
  return { surfaces: [...pages, ...createDocs(base, parts.services, routes)], home };
}
