import type { Portal } from '../../portal.js';
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
    await withPortal({ cwd, ui }, async (portal) => {
      const { accounts, rbac, administration } = portal.services;
      const known = (await rbac.roles()).map(({ name }) => name);
      if (known.length === 0) throw new CommandFailedError('There are no roles yet.', 'run portal rbac:seed first');
      refuseUnknown(options.role ?? [], known);
      const judge = async (part: Parameters<typeof accounts.admins.faultsOf>[0], field: Field) =>
        (await accounts.admins.faultsOf(part))[field]?.join(' ');
      const email = await askUnlessGiven(options.email, ui, 'email', (answer) => judge({ email: answer }, 'email'));
      const name = await askUnlessGiven(options.name, ui, 'name', (answer) => judge({ name: answer }, 'name'));
      const roles = options.role ?? [await askRole(ui, known)];
      const minimum = accounts.passwords.minimum('admin');
      const check = (password: string) => judge({ email, name, password }, 'password');
      const password = options.passwordStdin
        ? await readPassword(ui, minimum, check)
        : await askPassword(ui, minimum, check);
      const admin = await administration.admins.create({ name, email, password, roles }, 'operator');
      const addresses = addressesOf(portal);
      if (json) return ui.json({ id: admin.id, name: admin.name, email: admin.email, roles, ...addresses });
      ui.success(`Created the admin ${admin.email} (${roles.join(', ')}).`);
      if (addresses.console_url !== null) ui.line(`Admins sign in at the console: ${addresses.console_url}`);
      if (addresses.sign_in_url !== null) ui.line(`… or at the API: POST ${addresses.sign_in_url}`);
      if (addresses.portal_url !== null) ui.line(`The portal is at ${addresses.portal_url}`);
      ui.note('Next: npx portal serve, and npx portal import openapi.yaml for your first API');
    });
  },
});

type Field = 'email' | 'name' | 'password';
type Check = (answer: string) => Promise<string | undefined>;

const QUESTIONS = { email: 'E-mail', name: 'Name' } as const;

/** The value of a flag or the user's input; either is validated before the next question. */
async function askUnlessGiven(
  given: string | undefined,
  ui: Ui,
  field: 'email' | 'name',
  check: Check,
): Promise<string> {
  const flag = `--${field}`;
  if (given === undefined) return ui.askText({ message: QUESTIONS[field], flag, validate: requireAnswer, check });
  const fault = await check(given);
  if (fault === undefined) return given;
  throw new CommandFailedError(
    `${flag}: ${fault}`,
    field === 'email' ? 'choose another address' : 'choose another name',
  );
}

function addressesOf({ config: { theme, portalApi }, services: { paths }, parts: { address } }: Portal) {
  return {
    portal_url: theme.enabled ? address.page('') : null,
    console_url: address.consolePage(''),
    sign_in_url: portalApi.enabled ? `${address.base()}${paths.admin}/auth/login` : null,
  };
}

function askRole(ui: Ui, known: readonly string[]): Promise<string> {
  return ui.select({ message: 'Role', flag: '--role', choices: known.map((value) => ({ value })) });
}

function refuseUnknown(roles: readonly string[], known: readonly string[]): void {
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown === undefined) return;
  throw new CommandFailedError(`There is no role ${unknown}.`, `use one of ${known.join(', ')}`);
}

async function askPassword(ui: Ui, minimum: number, check: Check): Promise<string> {
  const message = `Password (at least ${minimum} characters)`;
  const flag = '--password-stdin';
  const password = await ui.askPassword({ message, flag, validate: requireAnswer, check });
  await ui.askPassword({
    message: 'Password again',
    flag,
    validate: (again) => (again === password ? undefined : 'The passwords differ.'),
  });
  return password;
}

// Editors and `echo` append a line break, which is not part of the password.
async function readPassword(ui: Ui, minimum: number, check: Check): Promise<string> {
  const password = (await ui.readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('--password-stdin: standard input is empty.');
  const fault = await check(password);
  if (fault === undefined) return password;
  // The refusal alone does not say what would be accepted.
  const fix =
    `choose ${minimum} characters or more that are no common password, no repetition and no sequence, and in which neither ` +
    'the name or address of the admin nor the name of the portal occurs; a few unrelated words will do';
  throw new CommandFailedError(fault, fix);
}

function requireAnswer(answer: string): string | undefined {
  return answer.trim() === '' ? 'Please answer.' : undefined;
}
