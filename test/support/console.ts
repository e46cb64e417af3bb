import { preferencePages, signInPages, type Page } from '../../src/theme/index.js';
import { declaredPages } from './console-pages.js';
import { createAdmin, createRole, PASSWORD } from './factories.js';
import { PageClient } from './page-client.js';
import type { TestPortal } from './test-portal.js';

/** An admin signed in to the console without scripts. @param permissions beside access; a super admin without */
export async function openConsole(test: TestPortal, permissions?: readonly string[]): Promise<PageClient> {
  await test.portal.services.rbac.seed();
  const role = permissions && (await createRole(test, ['portal.admin.access', ...permissions]));
  const { email } = await createAdmin(test, { roles: [role ?? 'super_admin'] });
  const browser = new PageClient(test.client);
  const { path } = await browser.submit('/admin/login', { email, password: PASSWORD });
  if (path !== '/admin') throw new Error(`the sign-in led to ${path}`);
  return browser;
}

/** Every page that is declared, and an address of it. */
export function consolePagesOf(test: TestPortal): readonly (Page & { readonly address: string })[] {
  const signIn = signInPages({ context: 'admin', template: 'console/login' });
  const addressOf = (path: string) => `/admin${path.replace(/:locale/, 'en').replace(/:\w+/g, '1')}`.replace(/\/$/, '');
  return [...declaredPages(test), ...signIn, ...preferencePages].map((page) => ({
    ...page,
    address: addressOf(page.path),
  }));
}
