import type { Portal } from '../../portal.js';
import { defineCommand } from '../command.js';
import { withAnyPortal } from '../open-portal.js';

type ListedRoute = Portal['routes'][number];

export const routes = defineCommand({
  name: 'routes',
  summary: 'list every route with its auth and permission',
  description:
    'Lists every route of the REST API, those of the project included: who may call it, the permission that route ' +
    'RBAC asks for, what the policy layer is asked, and what it does.',
  example: ['portal routes', 'portal routes --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    await withAnyPortal({ cwd, ui }, async ({ routes: declared, pathOf, gatewayPaths }) => {
      const listed = declared
        .map((route) => ({ route, path: pathOf(route) }))
        .sort((a, b) => compare(a.path, b.path) || compare(a.route.method, b.route.method));
      if (json) {
        const presented = listed.map(({ route, path }) => presentRoute(route, path));
        return ui.json({ routes: presented, gateway_paths: gatewayPaths });
      }
      ui.table([
        ['METHOD', 'PATH', 'AUTH', 'PERMISSION', 'POLICY', 'SUMMARY'],
        ...listed.map(({ route, path }) => [
          route.method.toUpperCase(),
          path,
          authOf(route),
          permissionOf(route) ?? '–',
          route.policy?.join(' ') ?? '–',
          route.summary,
        ]),
        ...gatewayPaths.map((path) => ['ANY', `${path}/*`, 'gateways', '–', '–', 'Tell a gateway whether a key opens']),
      ]);
    });
  },
});

function presentRoute(route: ListedRoute, path: string): object {
  return {
    method: route.method.toUpperCase(),
    path,
    context: route.context,
    auth: route.auth,
    permission: permissionOf(route) ?? null,
    policy: route.policy ?? null,
    idempotent: route.idempotent !== undefined,
    operation: route.operation,
    tag: route.tag,
    summary: route.summary,
  };
}

function authOf({ auth, context }: ListedRoute): string {
  if (auth === 'none') return 'public';
  return auth === 'optional' ? `${context}, optional` : context;
}

function permissionOf({ auth, context, permission }: ListedRoute): string | undefined {
  if (auth === 'none' || context === 'consumer') return undefined;
  return permission ?? 'portal.admin.access';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
