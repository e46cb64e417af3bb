import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * A folder in memory, if the machine has much of it free and programs may be started from there: what is kept safe (a commit, a
 * table that is made) does not wait for a disk.
 */
export function roomyMemory(): string | null {
  if (!existsSync(IN_MEMORY)) return null;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm \S+ (\S+)/m)?.[1] ?? 'noexec';
  const isRoomy = Math.min(bavail * bsize, freemem()) >= ROOMY_BYTES;
  return isRoomy && !mount.split(',').includes('noexec') ? IN_MEMORY : null;
}
