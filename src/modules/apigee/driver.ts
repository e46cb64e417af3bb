import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DriverFinding, DriverMachine, GatewayPlugin } from '../../gateway/index.js';
import { apigeeOptions, checkApigee, deriveApigee, type ApigeeConfig } from './options.js';

/** Apigee X, hybrid and Edge. */
export const driver: GatewayPlugin<typeof apigeeOptions> = {
  options: apigeeOptions,
  derive: deriveApigee,
  check: checkApigee,
  choice: {
    label: 'Apigee',
    hint: 'X, hybrid or Edge',
    env:
      '# Apigee X or hybrid; for Edge set GATEWAY_APIGEE_PLATFORM=edge with _USERNAME and _PASSWORD. Without an\n' +
      '# organization, npx portal gateway:fake runs a stand-in and prints its settings.\n' +
      'GATEWAY_APIGEE_ORGANIZATION=\nGATEWAY_APIGEE_CREDENTIALS_FILE=',
    toFillIn: 'GATEWAY_APIGEE_…',
    tip: 'without an organization: npx portal gateway:fake, in another terminal',
  },
  doctorChecks: { 'service-account': 'the key file of Apigee is there, and nobody but its owner reads it' },
  inspect: inspectKey,
  commands: [
    {
      name: 'gateway:fake',
      summary: 'run a stand-in for an Apigee organization',
      load: async () => (await import('./fake-command.js')).gatewayFake,
    },
  ],
  open: async (options, context, root) => (await import('./apigee-gateway.js')).openApigee(options, context, root),
};

/** The key of a service account gives access to the whole organization. */
function inspectKey({ credentialsFile }: ApigeeConfig, { root, isOpenToOthers }: DriverMachine): DriverFinding[] {
  if (credentialsFile === '') return [];
  const file = resolve(root, credentialsFile);
  const check = 'service-account';
  if (!existsSync(file)) {
    const fix = 'correct gateway.apigee.credentialsFile';
    return [{ check, status: 'failure', message: `${file} is not there`, fix }];
  }
  if (!isOpenToOthers(file)) return [{ check, status: 'ok', message: 'its key is readable by its owner alone' }];
  const message = `other users of this machine can read ${file}`;
  return [{ check, status: 'warning', message, fix: `chmod 600 ${file}` }];
}
