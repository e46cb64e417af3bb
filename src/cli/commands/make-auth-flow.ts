import { defineCommand } from '../command.js';
import { makeStubs } from '../make-stubs.js';
import { namedAuthFlow, ownAuthFlow, makeNames } from '../stub-set.js';

export const makeAuthFlow = defineCommand({
  name: 'make:auth-flow',
  summary: 'write login rules of your own, with a test',
  description:
    'Writes a class that extends AuthFlow, the login rules of the REST API and the web pages, with a rule that works and ' +
    'the contract that every AuthFlow keeps. Without a name it is the one that portal init writes (allowed e-mail ' +
    'domains); with a name, one that knows the networks of admins. It says which line wires it.',
  example: ['portal make:auth-flow', 'portal make:auth-flow office'],
  arguments: { name: { description: 'in words joined by hyphens', optional: true } },
  reports: true,
  run: ({ args, ...place }) =>
    makeStubs(
      args.name === undefined ? ownAuthFlow : namedAuthFlow,
      makeNames(args.name ?? 'project', new Date()),
      place,
    ),
});
