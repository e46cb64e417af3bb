import { CommandFailedError } from '../errors.js';
import type { Ui } from '../ui.js';

const KEPT_LINES = 20;

/** `npm install` in a project. @throws CommandFailedError with the end of what npm said */
export async function installDependencies(folder: string, ui: Ui): Promise<true> {
  const { execa, ExecaError } = await import('execa');
  try {
    await ui.progress('Installing dependencies', () =>
      execa('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, all: true }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    const said = String(error.all ?? error.shortMessage).split('\n');
    for (const line of said.slice(-KEPT_LINES)) ui.note(line);
    const fix = `the files are written; run npm install in ${folder} once the cause is gone`;
    throw new CommandFailedError('npm install failed.', fix, { cause: error });
  }
}
