import type { AdminActor, ConsumerActor } from '../domain/auth/index.js';
import { routeDefiner, type Route } from '../http/index.js';
import type { PortalServices } from '../domain/services.js';

/** Declares an endpoint; host projects use it for their own. */
export const defineRoute = routeDefiner<PortalServices, ConsumerActor, AdminActor>();

export type PortalRoute = Route<PortalServices>;

/** Where a route looks for the record that its path names. */
export interface PathContext<Params> {
  readonly services: PortalServices;
  readonly params: Params;
}
