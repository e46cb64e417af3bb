import { defineCommand } from '../command.js';
import { withPortal } from '../open-portal.js';

export const tokensPrune = defineCommand({
  name: 'tokens:prune',
  summary: 'remove sign-ins and refresh tokens that ended long ago',
  description:
    'Removes sign-ins 7 days after their absolute end, with all their refresh tokens. Used and revoked tokens of a sign-in ' +
    'stay until then: they are how the use of a stolen one is noticed. A running portal does the same every hour.',
  example: ['portal tokens:prune', 'portal tokens:prune --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    const removed = await withPortal({ cwd, ui }, ({ services }) => services.auth.sessions.prune());
    if (json) ui.json({ removed });
    else if (removed === 0) ui.success('No sign-in ended that long ago.');
    else ui.success(`Removed ${removed} ${removed === 1 ? 'sign-in' : 'sign-ins'} with all tokens.`);
  },
});
