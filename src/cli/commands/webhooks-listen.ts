import { once } from 'node:events';
import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { escapeControls } from '../plain-text.js';
import type { Ui } from '../ui.js';
import type { HeardWebhook } from '../webhook-listener.js';

const HIGHEST_PORT = 65_535;
const KEYS_MS = 5_000;
const JUDGEMENTS = {
  secret: 'signed with the secret',
  'public-key': 'signed by the portal',
  unsigned: 'REFUSED: no signature fits',
  'too-old': 'REFUSED: its time is more than five minutes away',
  unchecked: 'not checked',
} as const;

export const webhooksListen = defineCommand({
  name: 'webhooks:listen',
  summary: 'receive webhooks on this machine, check and print them',
  description:
    'Answers challenges and prints each message with what signed it, until Ctrl-C. Signatures are checked with the public ' +
    'keys of the portal at --portal, and with the secret of the endpoint in PORTAL_WEBHOOK_SECRET; what neither signed is ' +
    'answered with 401. Needs no project and no database. A portal sends to this machine when outbound.allow names it.',
  example: [
    'portal webhooks:listen',
    'PORTAL_WEBHOOK_SECRET=whsec_… portal webhooks:listen --port 4200 --portal https://developers.example.com',
  ],
  options: {
    port: { type: 'integer', default: 4100, description: 'where it listens; 0 takes any free port' },
    host: { type: 'text', default: '127.0.0.1', description: 'address it listens on' },
    portal: {
      type: 'text',
      default: 'http://127.0.0.1:3000',
      description: 'portal whose keys are used',
      placeholder: 'url',
    },
  },
  async run({ options: { port, host, portal }, ui }) {
    if (port > HIGHEST_PORT) throw new UsageError(`--port must be at most ${HIGHEST_PORT}.`);
    if (!/^https?:/.test(portal) || !URL.canParse(portal))
      throw new UsageError('--portal must be the address of a portal.');
    const [{ judgeWebhook }, { WebhookListener }, { systemClock }] = await Promise.all([
      import('../../portal.js'),
      import('../webhook-listener.js'),
      import('../../core/index.js'),
    ]);
    const keys = { secrets: await findSecrets(), publicKeys: await fetchKeys(portal, ui) };
    const isChecked = keys.secrets.length + keys.publicKeys.length > 0;
    const listener = await WebhookListener.start({ host, port }, (message) => {
      const judgement = isChecked ? judgeWebhook(message, keys, systemClock.now()) : 'unchecked';
      print(ui, message, JUDGEMENTS[judgement]);
      return judgement !== 'unsigned' && judgement !== 'too-old';
    }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandFailedError(`Webhooks cannot be received: ${reason}.`, 'choose another --port', { cause });
    });
    ui.success(`Listening at http://${host.includes(':') ? `[${host}]` : host}:${listener.port}/. Ctrl-C ends it.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await listener.stop();
  },
});

// Not on the command line, where other users of the machine see them.
async function findSecrets(): Promise<string[]> {
  const { readWebhookSecrets } = await import('../../config/index.js');
  const given = readWebhookSecrets();
  if (given.every((secret) => /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))) return given;
  throw new UsageError('PORTAL_WEBHOOK_SECRET must be a secret that begins with whsec_.');
}

async function fetchKeys(portal: string, ui: Ui): Promise<readonly string[]> {
  const address = new URL('/.well-known/webhooks-keys', portal).href;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(KEYS_MS), redirect: 'error' });
    const { keys } = (await response.json()) as { keys?: unknown };
    if (!response.ok || !Array.isArray(keys)) throw new Error(`it answered ${response.status}`);
    return keys.filter((key): key is string => typeof key === 'string');
  } catch {
    ui.warn(
      `No keys at ${address}: what the portal signs with its own key is not checked. Say where it is with --portal.`,
    );
    return [];
  }
}

function print(ui: Ui, { id, body }: HeardWebhook, judgement: string): void {
  ui.line(`${escapeControls(id) || 'without an id'}  ${judgement}`);
  ui.line(escapeControls(indent(body)));
  ui.line();
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
