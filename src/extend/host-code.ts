import type { PortalRoute } from '../api/index.js';
import { DeclarationError } from '../core/index.js';
import type { HostExtensions } from './extensions.js';
import type { PortalParts } from './portal-parts.js';

function isRoute(value: unknown): value is PortalRoute {
  return typeof (value as Partial<PortalRoute> | null | undefined)?.handle === 'function';
}

/** What `routes` of `portal.config.ts` returned. @throws DeclarationError when that is not an array of routes */
export function hostRoutes({ routes }: HostExtensions, parts: PortalParts): readonly PortalRoute[] {
  const declared: unknown = routes?.(parts) ?? [];
  if (Array.isArray(declared) && declared.every(isRoute)) return declared;
  throw new DeclarationError('routes of portal.config.ts must return an array of what defineRoute returns.');
}
