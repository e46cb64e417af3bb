import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { withPortal } from '../open-portal.js';

const SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: 86_400, w: 7 * 86_400 };

export const tokenCreate = defineCommand({
  name: 'token:create',
  summary: 'give a machine a token for the admin API',
  description:
    'Creates a service token, the account of a machine: a pipeline, a script. It is sent as Authorization: Bearer and may ' +
    'do on admin routes exactly what its permissions say; portal.admin.access is always among them. The token is printed ' +
    'once, alone on standard output; the portal keeps its hash.',
  example: [
    'portal token:create payments-ci --permission portal.products.view portal.products.update --expires 90d',
    'portal token:create nightly --permission portal.usage.read --json',
  ],
  arguments: { name: { description: 'tells it from the other tokens' } },
  options: {
    permission: { type: 'list', description: 'what it may do, for example portal.products.update' },
    expires: {
      type: 'text',
      placeholder: 'time',
      description: 'how long it works: hours, days or weeks, such as 12h, 90d, 8w; at most 366d',
      default: '90d',
    },
  },
  reports: true,
  async run({ cwd, ui, json, args: { name }, options }) {
    const permissions = options.permission ?? [];
    if (permissions.length === 0)
      throw new UsageError('--permission: name at least one, such as portal.products.view.');
    const expiresIn = secondsOf(options.expires);
    const { ValidationError } = await import('../../core/index.js');
    await withPortal({ cwd, ui }, async ({ services }) => {
      const { serviceTokens } = services.administration;
      try {
        const { token, secret } = await serviceTokens.create({ name, permissions, expiresIn }, 'operator');
        const { id, expiresAt } = token;
        if (json) return ui.json({ id, name, permissions: token.permissions, expires_at: expiresAt, token: secret });
        ui.note(`Created the token ${name}, which works until ${expiresAt?.toISOString() ?? 'it is revoked'}.`);
        ui.note('It is shown only now:');
        ui.line(secret);
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        throw new CommandFailedError(
          Object.values(error.errors).flat().join(' '),
          'portal token:create --help tells more',
        );
      }
    });
  },
});

/** @throws UsageError */
function secondsOf(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError('--expires: say hours, days or weeks, such as 12h, 90d or 8w.');
  return Number(count) * (SECONDS[unit] ?? 0);
}
