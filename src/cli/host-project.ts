import { CommandFailedError } from './errors.js';

/** @throws CommandFailedError when the folder holds no `portal.config.ts` or `.js` */
export async function requireHostProject(cwd: string): Promise<void> {
  const { CONFIG_FILES, findConfigFile } = await import('../config/index.js');
  if (findConfigFile(cwd) !== undefined) return;
  throw new CommandFailedError(
    `${cwd} is no host project: it has neither ${[...CONFIG_FILES].reverse().join(' nor ')}.`,
    'change into the project, name it with --cwd, or make one with portal init',
  );
}
