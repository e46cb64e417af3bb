import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sets the wall clock of a running process without affecting its timers. */
export interface FakeTime {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds ahead of this machine */
  set(seconds: number): void;
  remove(): void;
}

export function fakeTime(seconds = 0): FakeTime {
  const folder = mkdtempSync(join(tmpdir(), 'portal-faketime-'));
  const file = join(folder, 'offset');
  const set = (offset: number) => writeFileSync(file, `${offset < 0 ? '' : '+'}${offset}\n`);
  set(seconds);
  return {
    env: {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Otherwise a jump backwards stops all timers.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Debian keeps it in a folder named after the architecture. */
function library(): string {
  const found = readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join('/usr/lib', name, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error('libfaketimeMT.so.1 is not in /usr/lib: apt-get install faketime');
  return found;
}
