import { defineCommand } from '../command.js';
import { noteNext } from '../next-command.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

export const rbacSeed = defineCommand({
  name: 'rbac:seed',
  summary: 'add the permissions and roles that ship and are missing',
  description:
    'Adds the permissions and default roles that ship with the portal. What is already there is left alone: permissions ' +
    'that you took from a role or gave to it stay as they are, and only permissions that are new are given to the ' +
    'default roles. Safe to run on every deployment.',
  example: ['portal rbac:seed', 'portal rbac:seed --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    await withPortal({ cwd, ui }, async (portal) => {
      const added = await portal.services.rbac.seed();
      if (json) return ui.json({ added });
      report(added, ui);
      await noteNext(portal, ui);
    });
  },
});

type Added = Readonly<Record<'permissions' | 'roles' | 'grants', readonly unknown[]>>;

function report({ permissions, roles, grants }: Added, ui: Ui): void {
  if (permissions.length + roles.length + grants.length === 0) return ui.success('Nothing was missing.');
  for (const name of permissions) ui.line(`permission  ${String(name)}`);
  for (const name of roles) ui.line(`role        ${String(name)}`);
  ui.success(
    `Added ${count(permissions.length, 'permission')}, ${count(roles.length, 'role')} and ${count(grants.length, 'grant')}.`,
  );
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
