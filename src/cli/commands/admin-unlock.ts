import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { withPortal } from '../open-portal.js';

export const adminUnlock = defineCommand({
  name: 'admin:unlock',
  summary: 'let an admin sign in again after too many wrong passwords',
  description:
    'Lifts the lock that wrong passwords brought upon an admin account, whoever typed them. It may run beside serving ' +
    'portals, which follow at the next attempt. The password stays as it is: when it may be known to others, set ' +
    'another one as well.',
  example: ['portal admin:unlock grace@example.com', 'portal admin:unlock grace@example.com --json'],
  reports: true,
  arguments: { email: { description: 'address that the admin signs in with' } },
  async run({ cwd, ui, json, args: { email } }) {
    await withPortal({ cwd, ui }, async ({ services: { accounts, auth } }) => {
      const found = await accounts.admins.findByEmail(email);
      if (!found) {
        throw new CommandFailedError(`There is no admin with the address ${email}.`, 'look for a typing mistake');
      }
      const { admin } = found;
      await auth.security.unlockAdmin(admin);
      if (json) ui.json({ id: admin.id, email: admin.email, status: admin.status });
      else ui.success(`${admin.email} is not held back by wrong passwords any more.`);
      if (admin.status !== 'active') ui.note(`The account is ${admin.status}, which keeps it out all the same.`);
    });
  },
});
