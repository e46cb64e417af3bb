import type { AdminActor, ConsumerActor } from '../domain/auth/index.js';
import { routeDefiner, type Route } from '../http/index.js';
import type { PortalServices } from '../domain/services.js';
import { managedKindOf } from './managed.js';

const define = routeDefiner<PortalServices, ConsumerActor, AdminActor>();

/** Declares an endpoint; host projects use it for their own. */
export const defineRoute = ((route: Parameters<typeof define>[0]) => {
  // Where edits of managed records are forbidden, each of them may be refused so.
  const manages = managedKindOf(route.operation);
  if (manages === undefined) return define(route);
  return define({ ...route, manages, errors: [...new Set([...(route.errors ?? []), 409 as const])] });
}) as typeof define;

export type PortalRoute = Route<PortalServices>;

/** Where a route looks for the record that its path names. */
export interface PathContext<Params> {
  readonly services: PortalServices;
  readonly params: Params;
}
