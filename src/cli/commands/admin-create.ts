import { ValidationError } from '../../kernel/errors.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, UsageError } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

export const adminCreate = defineCommand({
  name: 'admin:create',
  summary: 'create an admin account',
  description:
    'Creates an admin account with the roles you name. Asks for what no flag said; without a terminal every flag is ' +
    'required. There is no default password: it is typed, or read from standard input.',
  example: [
    'portal admin:create',
    'portal admin:create --email grace@example.com --name "Grace Hopper" --role super_admin --password-stdin < password.txt',
  ],
  options: {
    email: { type: 'text', description: 'address that the admin signs in with' },
    name: { type: 'text', description: 'full name' },
    role: { type: 'list', description: 'roles of the admin, for example super_admin' },
    passwordStdin: { type: 'flag', description: 'read the password from standard input' },
  },
  reports: true,
  async run({ cwd, ui, json, options }) {
    await withPortal({ cwd, ui }, async ({ config, services: { accounts, rbac, administration } }) => {
      const known = (await rbac.roles()).map(({ name }) => name);
      if (known.length === 0) throw new CommandFailedError('There are no roles yet.', 'run portal rbac:seed first');
      const email = options.email ?? (await ui.askText({ message: 'E-mail', flag: '--email', validate: notEmpty }));
      if (await accounts.admins.findByEmail(email)) {
        throw new CommandFailedError(`There is an admin with the address ${email} already.`, 'choose another address');
      }
      const name = options.name ?? (await ui.askText({ message: 'Name', flag: '--name', validate: notEmpty }));
      const roles = options.role ?? [await askRole(ui, known)];
      refuseUnknown(roles, known);
      const password = options.passwordStdin ? await readPassword(ui) : await askPassword(ui);
      const admin = await administration.admins
        .create({ name, email, password, roles }, 'operator')
        .catch((error: unknown) => {
          throw explainPassword(error, config.accounts.password.adminMinLength);
        });
      if (json) ui.json({ id: admin.id, name: admin.name, email: admin.email, roles });
      else ui.success(`Created the admin ${admin.email} (${roles.join(', ')}).`);
    });
  },
});

function askRole(ui: Ui, known: readonly string[]): Promise<string> {
  return ui.select({ message: 'Role', flag: '--role', choices: known.map((value) => ({ value })) });
}

function refuseUnknown(roles: readonly string[], known: readonly string[]): void {
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown === undefined) return;
  throw new CommandFailedError(`There is no role ${unknown}.`, `use one of ${known.join(', ')}`);
}

async function askPassword(ui: Ui): Promise<string> {
  const password = await ui.askPassword({ message: 'Password', flag: '--password-stdin', validate: notEmpty });
  await ui.askPassword({
    message: 'Password again',
    flag: '--password-stdin',
    validate: (again) => (again === password ? undefined : 'The passwords differ.'),
  });
  return password;
}

// Editors and `echo` end a file with a line break, which nobody means as part of the password.
async function readPassword(ui: Ui): Promise<string> {
  const password = (await ui.readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('--password-stdin: standard input is empty.');
  return password;
}

// The refusal alone does not tell somebody at a terminal what would be taken.
function explainPassword(error: unknown, minimum: number): unknown {
  const faults = error instanceof ValidationError ? error.errors['password'] : undefined;
  if (faults === undefined) return error;
  const fix =
    `choose ${minimum} characters or more that are no common password, no repetition and no sequence, and in which neither ` +
    'the name or address of the admin nor the name of the portal occurs; a few unrelated words will do';
  return new CommandFailedError(faults.join(' '), fix, { cause: error });
}

function notEmpty(answer: string): string | undefined {
  return answer.trim() === '' ? 'Please answer.' : undefined;
}
