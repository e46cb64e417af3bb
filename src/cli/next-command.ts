import type { Portal } from '../portal.js';
import type { Ui } from './ui.js';

/** Names the command to run next in a new project; nothing once somebody can sign in. */
export async function noteNext({ services }: Portal, ui: Ui): Promise<void> {
  const hasRoles = (await services.rbac.roles()).length > 0;
  const hasAdmin = hasRoles && (await services.accounts.admins.count('active')) > 0;
  if (!hasAdmin) ui.note(`Next: npx portal ${hasRoles ? 'admin:create' : 'rbac:seed'}`);
}
