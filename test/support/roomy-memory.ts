import { existsSync, readFileSync, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * A folder in memory, if the machine has a large one that programs may be started from: there, what is kept safe (a commit, a
 * table that is made) does not wait for a disk.
 */
export function roomyMemory(): string | null {
  if (!existsSync(IN_MEMORY)) return null;
  const { blocks, bsize } = statfsSync(IN_MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm \S+ (\S+)/m)?.[1] ?? 'noexec';
  return blocks * bsize >= ROOMY_BYTES && !mount.split(',').includes('noexec') ? IN_MEMORY : null;
}
