import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { withPortal } from '../open-portal.js';

export const sessionsEnd = defineCommand({
  name: 'sessions:end',
  summary: 'sign everybody out',
  description:
    'Ends every sign-in of developers and admins, in browsers and with tokens, on every replica at once, and voids every ' +
    'mailed link that was not used. For after a restore, which brings back what had ended since the backup, and for when ' +
    'a secret leaked. It may run beside serving portals; --all says that it is meant.',
  example: ['portal sessions:end --all', 'portal sessions:end --all --json'],
  reports: true,
  options: { all: { type: 'flag', description: 'of everybody' } },
  async run({ cwd, ui, json, options: { all } }) {
    if (!all) throw new UsageError('Give --all: every sign-in of everybody ends.');
    const ended = await withPortal({ cwd, ui }, ({ services }) => services.auth.sessions.endEverySession());
    if (json) ui.json({ ended });
    else ui.success(`Ended ${ended} ${ended === 1 ? 'sign-in' : 'sign-ins'}. Everybody has to sign in again.`);
  },
});
