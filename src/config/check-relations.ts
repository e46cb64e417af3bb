import type { CheckContext } from './check-context.js';

/** Values that contradict one another. */
export function checkRelations(context: CheckContext): void {
  checkOrder(context);
  checkPaths(context);
  const { theme, portalApi } = context.config;
  if (!theme.locales.includes(theme.locale)) {
    context.fault(
      'theme.locale',
      `must be one of theme.locales (${theme.locales.join(', ')})`,
      'add it to theme.locales',
    );
  }
  if (!portalApi.rbac.enabled && !portalApi.usePolicies) {
    const what = 'and portalApi.rbac.enabled are both off, so every admin may do everything';
    context.warn('portalApi.usePolicies', what, 'switch at least one of them on');
  }
}

function checkOrder({ config: { portalApi, session, limits, database }, fault }: CheckContext): void {
  const pairs: [string, number, string, number][] = [
    [
      'portalApi.pagination.maxPerPage',
      portalApi.pagination.maxPerPage,
      'portalApi.pagination.perPage',
      portalApi.pagination.perPage,
    ],
    ['portalApi.refreshTtl', portalApi.refreshTtl, 'portalApi.accessTtl', portalApi.accessTtl],
    ['session.absolute', session.absolute, 'session.idle', session.idle],
    [
      'limits.login.lockout.max',
      limits.login.lockout.max,
      'limits.login.lockout.initial',
      limits.login.lockout.initial,
    ],
    ['limits.register.perDay', limits.register.perDay, 'limits.register.perHour', limits.register.perHour],
    ['database.pool.max', database.pool.max, 'database.pool.min', database.pool.min],
  ];
  for (const [path, value, other, least] of pairs) {
    if (value < least) fault(path, `must not be less than ${other}`, `raise it, or lower ${other}`);
  }
}

// With two surfaces on one path, their order would decide which one answers.
function checkPaths({ config: { portalApi, theme, console: admin, docs, verify }, fault }: CheckContext): void {
  const surfaces = [
    // Also without the API: health probes use it.
    { path: 'portalApi.prefix', at: portalApi.prefix, isServed: true },
    { path: 'theme.routePrefix', at: `/${theme.routePrefix}`, isServed: theme.enabled },
    { path: 'console.path', at: `/${admin.path}`, isServed: admin.enabled },
    { path: 'docs.path', at: docs.path, isServed: docs.enabled },
    { path: 'verify.path', at: verify.path, isServed: verify.enabled },
  ].filter(({ isServed }) => isServed);
  for (const [index, { path, at }] of surfaces.entries()) {
    const other = surfaces.slice(0, index).find((earlier) => overlap(earlier.at, at));
    if (other) fault(path, `must not overlap with ${other.path} (${at} and ${other.at})`, 'give each its own path');
  }
}

function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
