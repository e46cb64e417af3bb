import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlValue } from '../../database/index.js';

/** Who is reading the catalog. */
export type Viewer =
  { readonly kind: 'anonymous' } | { readonly kind: 'developer'; readonly userId: number } | { readonly kind: 'admin' };

/** @internal */
export const ANONYMOUS: Viewer = { kind: 'anonymous' };
export const ADMIN: Viewer = { kind: 'admin' };

/** The viewer behind a signed-in developer; nobody signed in is anonymous. */
export function viewerOf(actor: { readonly id: number } | null): Viewer {
  return actor ? { kind: 'developer', userId: actor.id } : ANONYMOUS;
}

const readsForAgents = new AsyncLocalStorage<boolean>();

/**
 * Runs a read for an agent, from which products that are switched off for agents are hidden. Applies to everything that the
 * read leads to – guides, search, changes – so that no text for agents can forget it.
 */
export function forAgents<T>(run: () => T): T {
  return readsForAgents.run(true, run);
}

/** Whether the caller reads for an agent. */
export function isForAgents(): boolean {
  return readsForAgents.getStore() === true;
}

interface VisibleProducts {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/**
 * The single rule for who sees which products (S57), as a condition over `portal_products AS <alias>`: everybody sees
 * the public ones, developers also the private ones of their audiences, admins all; within {@link forAgents} none that is
 * switched off for agents. Every read of products must use it.
 */
export function selectVisibleProducts(viewer: Viewer, alias: string): VisibleProducts {
  const { where, values } = seenBy(viewer, alias);
  return isForAgents() ? { where: `(${where}) AND ${alias}.for_agents = 1`, values } : { where, values };
}

function seenBy(viewer: Viewer, alias: string): VisibleProducts {
  switch (viewer.kind) {
    case 'admin':
      return { where: '1 = 1', values: [] };
    case 'anonymous':
      return { where: `${alias}.visibility = 'public'`, values: [] };
    case 'developer':
      return {
        where: seesProduct(alias, '?'),
        values: [viewer.userId],
      };
  }
}

/** Whether a developer sees the product of a row, as a condition. @param user SQL of the developer's id */
export function seesProduct(alias: string, user: string): string {
  return `(${alias}.visibility = 'public' OR (${alias}.visibility = 'private' AND EXISTS (
    SELECT 1 FROM portal_audience_products seen_by
    JOIN portal_audience_users member ON member.audience_id = seen_by.audience_id
    WHERE seen_by.product_id = ${alias}.id AND member.user_id = ${user})))`;
}
