import { defineCommand } from '../command.js';
import { withPortal } from '../open-portal.js';

export const tokenList = defineCommand({
  name: 'token:list',
  summary: 'list the tokens of machines',
  description:
    'Lists the service tokens with their permissions, when each was used last and until when it works. Never a token ' +
    'itself: the portal keeps hashes only.',
  example: ['portal token:list', 'portal token:list --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    await withPortal({ cwd, ui }, async ({ services: { administration } }) => {
      const tokens = await administration.serviceTokens.listAll();
      if (json) {
        const rows = tokens.map((token) => ({
          ...{ id: token.id, name: token.name, state: token.state, permissions: token.permissions },
          ...{ ending: token.ending, expires_at: token.expiresAt, last_used_at: token.lastUsedAt },
        }));
        return ui.json({ tokens: rows });
      }
      if (tokens.length === 0) return ui.line('There are no service tokens. portal token:create makes one.');
      ui.table([
        ['name', 'state', 'ends with', 'works until', 'last used', 'permissions'],
        ...tokens.map((token) => [
          ...[token.name, token.state, token.ending, day(token.expiresAt), day(token.lastUsedAt)],
          token.permissions.join(' '),
        ]),
      ]);
    });
  },
});

const day = (at: Date | null) => at?.toISOString().slice(0, 10) ?? '-';
