import { defineCommand } from '../command.js';
import { makeStubs } from '../make-stubs.js';
import { gateway, makeNames } from '../stub-set.js';

export const makeGateway = defineCommand({
  name: 'make:gateway',
  summary: 'write a driver for a gateway of your own, with a test',
  description:
    'Writes src/gateways/<name>-gateway.ts, a driver that works in memory, and a test through the API of the portal. ' +
    'Replace one method after the other by calls to your gateway and keep the test green. It says which lines wire it.',
  example: 'portal make:gateway kong',
  arguments: { name: { description: 'in words joined by hyphens; what gateway.driver will say' } },
  reports: true,
  run: ({ args, ...place }) => makeStubs(gateway, makeNames(args.name, new Date()), place),
});
