import type { CommandGroup } from './command.js';

/** Every command, in the order of the help. A command is one file in `commands/` and one row here. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Accounts',
    commands: [
      {
        name: 'rbac:seed',
        summary: 'add the permissions and roles that ship and are missing',
        load: async () => (await import('./commands/rbac-seed.js')).rbacSeed,
      },
      {
        name: 'admin:create',
        summary: 'create an admin account',
        load: async () => (await import('./commands/admin-create.js')).adminCreate,
      },
    ],
  },
  {
    title: 'Inspect',
    commands: [
      {
        name: 'config:show',
        summary: 'show the effective configuration and where each value comes from',
        load: async () => (await import('./commands/config-show.js')).configShow,
      },
    ],
  },
];
