import { definePage, View, type Page } from '../../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';

/** Answer of `listProductCallers` and `listDeprecationCallers`. */
interface Callers {
  readonly basis: 'part' | 'product';
  readonly since: Date;
  readonly total: number;
  readonly apps: readonly CallingApp[];
  readonly burn_down?: readonly { readonly day: Date; readonly apps: number; readonly calls: number }[];
}

interface CallingApp {
  readonly name: string;
  readonly display_name: string;
  readonly developer: { readonly id: number; readonly name: string; readonly email: string };
  readonly calls: number;
  readonly last_call_at: Date;
  readonly reachable: boolean;
  readonly migrated_at: Date | null;
}

/** The callers that a change of a product affects, shown before it is published. */
export function callerPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('products')) return [];
  const page = { method: 'get', audience: 'admins' } as const;
  return [
    definePage({
      ...{ ...page, path: '/products/:id/callers', needs: ['listProductCallers'] },
      handle: (visit) => showCallers(context, visit, 'listProductCallers', `/products/${visit.params.id}`),
    }),
    definePage({
      ...{ ...page, path: '/deprecations/:id/:deprecation/callers', needs: ['listDeprecationCallers'] },
      handle: (visit) => {
        const { id, deprecation } = visit.params;
        return showCallers(context, visit, 'listDeprecationCallers', `/deprecations/${id}/${deprecation}`);
      },
    }),
  ];
}

async function showCallers(
  context: ConsoleContext,
  visit: AdminVisit,
  operation: string,
  record: string,
): Promise<View> {
  const { data } = await context.operations.run(operation, adminCall(visit, { params: visit.params }));
  const { apps, burn_down: days = [], ...known } = data as Callers;
  return new View(
    'console/callers',
    {
      ...{ ...known, record, days },
      rows: apps.map((app) => ({ ...app, href: `/apps/${app.developer.id}/${app.name}` })),
    },
    { title: 'console.callers.title' },
  );
}
