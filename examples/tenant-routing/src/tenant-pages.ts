import { definePage, View, type Page } from 'portalkit';
import type { Tenants } from './tenants.js';

export function tenantPages(tenants: Tenants): Page[] {
  return [
    definePage({
      method: 'get',
      path: '/tenants/:tenant',
      audience: 'developers',
      handle: async ({ params, actor }) => {
        const tenant = await tenants.find(params['tenant'] ?? '', actor.id);
        return new View('tenant', { products: await tenants.products(tenant) }, { heading: tenant.name });
      },
    }),
  ];
}
