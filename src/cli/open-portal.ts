import type { Portal } from '../portal.js';
import { CommandFailedError } from './errors.js';
import { explainDatabaseFailure } from './database-failure.js';
import { requireHostProject } from './host-project.js';
import type { Ui } from './ui.js';

interface Place {
  readonly cwd: string;
  readonly ui: Ui;
}

/**
 * Assembles the portal of a host project without serving it, and closes it afterwards.
 * @throws CommandFailedError outside a host project, without its database, and while migrations are pending
 */
export function withPortal<T>(place: Place, run: (portal: Portal) => Promise<T>): Promise<T> {
  return withAnyPortal(place, async (portal) => {
    const pending = await portal.migrator.findPending();
    if (pending.length === 0) return run(portal);
    throw new CommandFailedError(
      `The database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}.`,
      'run portal migrate first',
    );
  });
}

/** Like {@link withPortal}, whatever the state of the database, even if there is none. */
export async function withAnyPortal<T>({ cwd, ui }: Place, run: (portal: Portal) => Promise<T>): Promise<T> {
  await requireHostProject(cwd);
  const [{ openPortal }, { runAsOperator, createLogger }] = await Promise.all([
    import('../open-portal.js'),
    import('../core/index.js'),
  ]);
  // Standard output is reserved for the answer.
  const logger = createLogger('warn', { write: (line) => ui.note(line.trimEnd()) });
  const portal = await openPortal({ cwd, logger });
  try {
    return await runAsOperator(() => run(portal));
  } catch (error) {
    throw explainDatabaseFailure(error, portal.config.database.url);
  } finally {
    await portal.close();
  }
}
