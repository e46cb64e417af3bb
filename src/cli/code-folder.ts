import { resolve } from 'node:path';
import type { AdminPort, Step, Wanted } from '../as-code/index.js';
import type { CommandOptions } from './command.js';
import { CommandFailedError, UsageError } from './errors.js';
import { withPortal } from './open-portal.js';
import type { Ui } from './ui.js';

/** The options that the commands of a portal as code share. */
export const codeOptions = {
  dir: { type: 'text', placeholder: 'folder', description: 'where the files are', default: 'portal' },
  scope: { type: 'text', placeholder: 'kind/name', description: 'only these records: products, products/payments' },
  server: {
    type: 'text',
    placeholder: 'url',
    description: 'a portal over the network, with the service token in PORTAL_TOKEN, in place of the database',
  },
} as const satisfies CommandOptions;

export const overlayOption = {
  env: { type: 'text', placeholder: 'name', description: 'lay portal.<name>.yaml over the files' },
} as const satisfies CommandOptions;

interface Place {
  readonly cwd: string;
  readonly ui: Ui;
  readonly server: string | undefined;
}

/** Opens the admin API of the database, or of a server, for as long as `run` takes. */
export async function withPort<T>({ cwd, ui, server }: Place, run: (port: AdminPort) => Promise<T>): Promise<T> {
  const { OperatorPort, RestPort } = await import('../as-code/index.js');
  if (server === undefined) {
    return withPortal({ cwd, ui }, (portal) => run(new OperatorPort(portal.services, portal.operatorParts)));
  }
  const { readCodeEnvironment } = await import('../config/index.js');
  const { token } = readCodeEnvironment();
  if (!URL.canParse(server))
    throw new UsageError('--server: say the address of the portal, https://portal.example.com.');
  if (token === '')
    throw new CommandFailedError(
      'PORTAL_TOKEN is not set.',
      'put a service token into it: portal token:create makes one',
    );
  return run(new RestPort(server, token));
}

interface Reading {
  readonly cwd: string;
  readonly options: { readonly dir: string; readonly scope?: string | undefined; readonly env?: string | undefined };
}

/** The records of the folder, and what differs from the portal. @throws CommandFailedError for files that are wrong */
export async function compareFolder(
  port: AdminPort,
  { cwd, options: { dir, scope, env: overlay } }: Reading,
): Promise<{ readonly wanted: readonly Wanted[]; readonly steps: readonly Step[] }> {
  const [code, { readCodeEnvironment }] = await Promise.all([
    import('../as-code/index.js'),
    import('../config/index.js'),
  ]);
  const { variables: env } = readCodeEnvironment();
  try {
    const wanted = await code.readFolder({ root: resolve(cwd, dir), kinds: code.kinds, env, overlay });
    if (wanted.length === 0)
      throw new CommandFailedError(`There are no records in ${dir}.`, 'portal export writes those of a portal');
    return { wanted, steps: await code.planChanges(port, wanted, new code.PresentRecords(port), scope) };
  } catch (error) {
    if (!(error instanceof code.FileProblem)) throw error;
    throw new CommandFailedError(error.message, 'mend the file; schema/ has what it may say, for editors', {
      cause: error,
    });
  }
}
