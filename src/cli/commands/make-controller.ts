import { defineCommand } from '../command.js';
import { makeStubs } from '../make-stubs.js';
import { controller, makeNames } from '../stub-set.js';

export const makeController = defineCommand({
  name: 'make:controller',
  summary: 'write endpoints of your own, with a test',
  description:
    'Writes src/controllers/<name>.ts: endpoints on the services of the portal with a response shape of their own, ' +
    'documented and checked like all others, and a test. It says which line wires them.',
  example: 'portal make:controller partner-catalog',
  arguments: { name: { description: 'in words joined by hyphens; also the path' } },
  reports: true,
  run: ({ args, ...place }) => makeStubs(controller, makeNames(args.name, new Date()), place),
});
