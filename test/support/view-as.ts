import { createAdmin, createRole, PASSWORD } from './factories.js';
import { PageClient, type PageAnswer } from './page-client.js';
import type { TestPortal } from './test-portal.js';

/** What it takes to view as a developer from their page in the console. */
export const VIEW_PERMISSIONS = ['portal.admin.access', 'portal.users.view', 'portal.users.view_as'];
export const VIEW_EVENTS = ['user.view_started', 'user.view_ended'];
export const REASON = 'Ticket 4711: misses an API';

/** An admin in a browser, signed in to the console. @param permissions those that viewing takes by default */
export async function asAdmin(test: TestPortal, permissions: readonly string[] = VIEW_PERMISSIONS) {
  const admin = await createAdmin(test, { roles: [await createRole(test, permissions)] });
  const page = new PageClient(test.client);
  await page.submit('/admin/login', { email: admin.email, password: PASSWORD });
  return { admin, page };
}

/** Begins a view of a developer in the browser of an admin. */
export async function beginView(page: PageClient, userId: number): Promise<PageAnswer> {
  return page.submit(`/admin/users/${userId}/view-as`, { reason: REASON });
}

/** Whether a page says that it is a view. */
export const isView = ({ html }: Pick<PageAnswer, 'html'>): boolean => html.includes('class="viewing"');

export const endView = (page: PageClient): Promise<PageAnswer> =>
  page.submit('/portal', {}, { action: '/portal/view/end', follow: false });
