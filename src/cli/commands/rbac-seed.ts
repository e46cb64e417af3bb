import { defineCommand } from '../command.js';
import { withPortal } from '../open-portal.js';

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
    const added = await withPortal({ cwd, ui }, ({ services }) => services.rbac.seed());
    if (json) return ui.json({ added });
    const { permissions, roles, grants } = added;
    if (permissions.length + roles.length + grants.length === 0) return ui.success('Nothing was missing.');
    for (const name of permissions) ui.line(`permission  ${name}`);
    for (const name of roles) ui.line(`role        ${name}`);
    ui.success(
      `Added ${count(permissions.length, 'permission')}, ${count(roles.length, 'role')} and ${count(grants.length, 'grant')}.`,
    );
  },
});

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
