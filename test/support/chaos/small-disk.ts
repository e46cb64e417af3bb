import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Uses up all space. */
  fill(): void;
  /** Frees the space that `fill` took. */
  empty(): void;
  /** Unmounts it. */
  remove(): void;
}

/** Whether this process may mount anything: containers often forbid it even to root. */
export function mayMountDisks(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    mountSmallDisk(1).remove();
    return true;
  } catch {
    return false;
  }
}

/** @throws Error with the output of mount */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'portalkit-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true });
    throw new Error(`mount: ${mounted.stderr || String(mounted.error)}`);
  }
  chmodSync(path, 0o755);
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => {
      for (let size = megabytes * 1024 * 1024; size >= 1; size = Math.floor(size / 2)) append(filler, size);
    },
    empty: () => rmSync(filler, { force: true }),
    remove: () => {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

// What does not fit is written in part; the next, smaller piece takes more of what is left.
function append(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
