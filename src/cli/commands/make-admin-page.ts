import { defineCommand } from '../command.js';
import { makeStubs } from '../make-stubs.js';
import { adminPage, makeNames } from '../stub-set.js';

export const makeAdminPage = defineCommand({
  name: 'make:admin-page',
  summary: 'write a page of the admin console, with a test',
  description:
    'Writes src/admin/<name>.ts: operations of the admin API and the resource that the console lists and shows with them, ' +
    'and a test. It says which lines wire them.',
  example: 'portal make:admin-page partner-reports',
  arguments: { name: { description: 'in words joined by hyphens; also the path' } },
  reports: true,
  run: ({ args, ...place }) => makeStubs(adminPage, makeNames(args.name, new Date()), place),
});
