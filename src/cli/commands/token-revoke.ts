import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { withPortal } from '../open-portal.js';

export const tokenRevoke = defineCommand({
  name: 'token:revoke',
  summary: 'revoke the token of a machine',
  description:
    'Revokes the service token of this name for good. Every replica refuses it from its next request on. The name is free ' +
    'for another token then.',
  example: ['portal token:revoke payments-ci', 'portal token:revoke payments-ci --json'],
  arguments: { name: { description: 'name of the token' } },
  reports: true,
  async run({ cwd, ui, json, args: { name } }) {
    const { NotFoundError } = await import('../../core/index.js');
    await withPortal({ cwd, ui }, async ({ services }) => {
      const { serviceTokens } = services.administration;
      const token = await serviceTokens.findByName(name).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
        throw new CommandFailedError(`No service token that works is called ${name}.`, 'portal token:list names them');
      });
      const { id, revokedAt } = await serviceTokens.revoke(token.id);
      if (json) ui.json({ id, name, revoked_at: revokedAt });
      else ui.success(`Revoked the token ${name}.`);
    });
  },
});
