import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Keeps a second demo out of the folder of one that runs. What a process that is gone left behind is taken over.
 * @param {string} file
 * @returns {() => void} gives it back
 * @throws {Error} naming the process that has it
 */
export function lockDemo(file) {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(readFileSync(file, 'utf8'));
    if (isRunning(holder)) {
      throw new Error(
        `A demo is running already (process ${holder}). End it with Ctrl-C first; if there is none, remove ${file}.`,
      );
    }
    rmSync(file, { force: true });
  }
}

function isRunning(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is running all the same.
    return error.code === 'EPERM';
  }
}
