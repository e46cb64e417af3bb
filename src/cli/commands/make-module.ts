import { defineCommand } from '../command.js';
import { makeStubs } from '../make-stubs.js';
import { portalModule, makeNames } from '../stub-set.js';

export const makeModule = defineCommand({
  name: 'make:module',
  summary: 'write a module, with a test',
  description:
    'Writes src/modules/<name>/: settings, a table, endpoints, a page with words in English and Arabic, all in one value ' +
    'that a portal lists under `modules`, and a test. It says which lines wire it.',
  example: 'portal make:module field-notes',
  arguments: { name: { description: 'in words joined by hyphens' } },
  reports: true,
  run: ({ args, ...place }) => makeStubs(portalModule, makeNames(args.name, new Date()), place),
});
