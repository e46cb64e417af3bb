import type { PortalRoute } from '../api/index.js';
import type { PageSurface } from '../http/index.js';
import type { DomainBase } from './base.js';
import { createDocs } from './docs.js';
import type { InstalledModules } from './extending/modules.js';
import type { PortalParts } from './extending/portal-parts.js';
import { createTheme } from './theme.js';

interface Surfaces {
  readonly surfaces: readonly PageSurface[];
  /** Where `GET /` leads: to the pages, or without them to what everybody may ask of the API. */
  readonly home: string;
}

/** What is for people: the web pages, and the reference of the API. */
export function createSurfaces(
  base: DomainBase,
  parts: PortalParts,
  installed: InstalledModules,
  routes: readonly PortalRoute[],
): Surfaces {
  const pages = createTheme(base, parts, installed);
  const [home = { prefix: `${base.config.portalApi.prefix}/api-products` }] = pages;
  return { surfaces: [...pages, ...createDocs(base, parts.services, routes)], home: home.prefix };
}
