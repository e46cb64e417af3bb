import { once } from 'node:events';
import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.js';
import { CommandFailedError } from '../../cli/errors.js';
import type { Ui } from '../../cli/ui.js';

export const gatewayFake = defineCommand({
  name: 'gateway:fake',
  summary: 'run a stand-in for an Apigee organization',
  description:
    'Serves the management API of an Apigee organization that is kept in memory, for developing and testing without a ' +
    'real one, and prints the settings that connect a portal with it. Keys are tried at /proxies/<product> with the ' +
    'header x-api-key. POST /stand-in/failures makes it fail on purpose; docs/gateways.md says how. Everything is ' +
    'forgotten when it ends, unless --file says where to keep it. Never for production: whoever reaches it may do anything.',
  example: [
    'portal gateway:fake --products payments accounts',
    'portal gateway:fake --platform edge --port 4010 --delay 100',
  ],
  options: {
    platform: { type: 'choice', choices: ['x', 'edge'], default: 'x', description: 'which management API' },
    port: { type: 'integer', default: 4010, description: 'where it listens' },
    host: { type: 'text', default: '127.0.0.1', description: 'address it listens on' },
    organization: { type: 'text', default: 'acme', description: 'name of the organization' },
    products: {
      type: 'list',
      default: [],
      description: 'API products it has',
      placeholder: 'names',
    },
    manual: { type: 'list', default: [], description: 'API products that wait for approval', placeholder: 'names' },
    file: {
      type: 'text',
      description: 'keeps developers, apps and keys from one run to the next',
      placeholder: 'path',
    },
    delay: { type: 'integer', default: 0, description: 'milliseconds that every answer takes' },
  },
  async run({ options, ui, json, cwd }) {
    const { FakeApigee } = await import('./fake/fake-apigee.js');
    const { platform, port, host, organization, delay } = options;
    const file = options.file === undefined ? undefined : resolve(cwd, options.file);
    const products = [
      ...options.products.map((name) => ({ name })),
      ...options.manual.map((name) => ({ name, approvalType: 'manual' as const })),
    ];
    const fake = await FakeApigee.start({
      flavour: platform,
      port,
      host,
      organization,
      delay,
      file,
      products,
    }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandFailedError(`The stand-in cannot listen: ${reason}.`, 'choose another --port', { cause });
    });
    if (json) ui.json({ url: fake.url, door: fake.door, settings: fake.settings() });
    else explain(ui, fake.settings(), fake.door);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await fake.stop();
  },
  reports: true,
});

function explain(ui: Ui, settings: Readonly<Record<string, string>>, keyUrl: string): void {
  ui.line('# Settings of a portal that uses it, for .env:');
  ui.line('GATEWAY_DRIVER=apigee');
  for (const [name, value] of Object.entries(settings)) ui.line(`GATEWAY_APIGEE_${name.toUpperCase()}=${value}`);
  ui.line();
  ui.success(`Serving; keys are tried at ${keyUrl}. Ctrl-C ends it.`);
}
