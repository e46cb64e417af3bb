import { resolve } from 'node:path';
import type { AdminPort, PlanStep, Wanted } from '../as-code/index.js';
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

export const pruneOption = {
  prune: {
    type: 'flag',
    description: 'also delete what portal.yaml manages and the files no longer have; products with keys become drafts',
  },
} as const satisfies CommandOptions;

export const overlayOption = {
  env: { type: 'text', placeholder: 'name', description: 'lay portal.<name>.yaml over the files' },
} as const satisfies CommandOptions;

/** Where changes come from, for the activity log. */
export const originOptions = {
  commit: { type: 'text', description: 'commit that the files are of; the one of the pipeline without' },
  runUrl: { type: 'text', placeholder: 'url', description: 'address of the run; the one of the pipeline without' },
} as const satisfies CommandOptions;

interface Origin {
  readonly commit?: string | undefined;
  readonly runUrl?: string | undefined;
}

const COMMIT = /^[0-9a-f]{4,64}$/i;
const LONGEST_RUN = 150;
const isRunAddress = (text: string) => text.length <= LONGEST_RUN && /^https:\/\/[\x21-\x7e]+$/.test(text);

/**
 * `portal apply (commit 9fceb02; run https://…)`.
 * @param pipeline what the environment says, left out where it is neither
 * @throws UsageError for flags that are no commit or no address
 */
function originOf(
  command: string,
  given: Origin,
  pipeline: { readonly commit?: string; readonly source?: string },
): string {
  if (given.commit !== undefined && !COMMIT.test(given.commit)) throw new UsageError('--commit: say its hash.');
  if (given.runUrl !== undefined && !isRunAddress(given.runUrl))
    throw new UsageError(`--run-url: say an https address of at most ${LONGEST_RUN} characters.`);
  const [commit, run] = [given.commit ?? pipeline.commit ?? '', given.runUrl ?? pipeline.source ?? ''];
  const facts = [COMMIT.test(commit) && `commit ${commit}`, isRunAddress(run) && `run ${run}`].filter(Boolean);
  return facts.length === 0 ? command : `${command} (${facts.join('; ')})`;
}

interface Place {
  readonly cwd: string;
  readonly ui: Ui;
  readonly server: string | undefined;
  /** Goes before the one of the environment. */
  readonly token?: string | undefined;
  /** The command as the activity log names it, where it changes anything. */
  readonly changes?: { readonly command: string } & Origin;
}

/** Opens the admin API of the database, or of a server, for as long as `run` takes. */
export async function withPort<T>(
  { cwd, ui, server, token: given, changes }: Place,
  run: (port: AdminPort) => Promise<T>,
): Promise<T> {
  const [{ OperatorPort, RestPort }, { readCodeEnvironment, readPipeline }] = await Promise.all([
    import('../as-code/index.js'),
    import('../config/index.js'),
  ]);
  const origin = changes ? originOf(changes.command, changes, readPipeline()) : '';
  if (server === undefined) {
    return withPortal({ cwd, ui }, (portal) => run(new OperatorPort(portal.services, portal.operatorParts, origin)));
  }
  const token = given ?? readCodeEnvironment().token;
  if (!URL.canParse(server))
    throw new UsageError('--server: say the address of the portal, https://portal.example.com.');
  if (token === '')
    throw new CommandFailedError(
      'PORTAL_TOKEN is not set.',
      'put a service token into it: portal token:create makes one',
    );
  return run(new RestPort(server, token, origin));
}

interface Reading {
  readonly cwd: string;
  readonly options: {
    readonly dir: string;
    readonly scope?: string | undefined;
    readonly env?: string | undefined;
    readonly prune?: boolean;
  };
  /** Only marks what the files name, also what others manage. */
  readonly adopts?: boolean;
}

/** The records of the folder, and what differs from the portal. @throws CommandFailedError for files that are wrong */
export async function compareFolder(
  port: AdminPort,
  { cwd, options: { dir, scope, env: overlay, prune = false }, adopts = false }: Reading,
): Promise<{ readonly wanted: readonly Wanted[]; readonly steps: readonly PlanStep[] }> {
  const [code, { readCodeEnvironment }] = await Promise.all([
    import('../as-code/index.js'),
    import('../config/index.js'),
  ]);
  const reading = { root: resolve(cwd, dir), kinds: code.kinds, env: readCodeEnvironment().variables, overlay };
  try {
    const [wanted, manager] = await Promise.all([code.readFolder(reading), code.readManager(reading)]);
    if (wanted.length === 0)
      throw new CommandFailedError(`There are no records in ${dir}.`, 'portal export writes those of a portal');
    if (!manager && (prune || adopts)) throw refuseUnnamed(dir);
    const present = new code.PresentRecords(port);
    const steps = adopts ? [] : await code.planChanges(port, wanted, present, { scope, manager });
    if (manager) {
      const managing = { wanted, present, marks: await code.readManagedMarks(port), manager, scope };
      steps.push(...(await code.planMarks(managing, adopts)));
      if (prune) steps.push(...(await code.planPrune(port, managing)));
    }
    return { wanted, steps };
  } catch (error) {
    if (error instanceof code.ManagedElsewhere)
      throw new CommandFailedError(error.message, 'portal adopt takes it over', { cause: error });
    if (!(error instanceof code.FileProblem)) throw error;
    throw new CommandFailedError(error.message, 'mend the file; schema/ has what it may say, for editors', {
      cause: error,
    });
  }
}

function refuseUnnamed(dir: string): CommandFailedError {
  return new CommandFailedError(
    `${dir}/portal.yaml does not say who manages the records.`,
    'write "managed_by: catalog" into it; nothing else is ever deleted than what carries that name',
  );
}
