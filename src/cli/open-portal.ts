import type { Portal } from '../portal.js';
import { CommandFailedError } from './errors.js';
import { requireHostProject } from './host-project.js';
import type { Ui } from './ui.js';

/**
 * Puts the portal of a host project together without serving it, and frees it afterwards.
 * @throws CommandFailedError outside of a host project, and while migrations are pending
 */
export async function withPortal<T>(
  { cwd, ui }: { readonly cwd: string; readonly ui: Ui },
  run: (portal: Portal) => Promise<T>,
): Promise<T> {
  await requireHostProject(cwd);
  const [{ loadConfig }, { createPortal }, { createLogger }] = await Promise.all([
    import('../config/index.js'),
    import('../portal.js'),
    import('../kernel/index.js'),
  ]);
  const { config, extensions, root } = await loadConfig({ cwd });
  // Standard output belongs to the answer.
  const logger = createLogger('warn', { write: (line) => ui.note(line.trimEnd()) });
  const portal = createPortal({ config, extensions, root, logger });
  try {
    const pending = await portal.migrator.pending();
    if (pending.length === 0) return await run(portal);
    throw new CommandFailedError(
      `The database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}.`,
      'run portal migrate first',
    );
  } finally {
    await portal.close();
  }
}
