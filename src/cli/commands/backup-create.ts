import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { sqliteFile } from '../check-machine.js';
import { CommandFailedError } from '../errors.js';
import { withAnyPortal } from '../open-portal.js';

export const backupCreate = defineCommand({
  name: 'backup:create',
  summary: 'copy a SQLite database while the portal runs',
  description:
    'Writes a consistent, checked copy of the SQLite database, which only its owner can read, beside a serving portal. ' +
    'To copy the file by hand would miss what is still in its -wal file. A folder gets a file named after the time. MySQL ' +
    'and MariaDB have tools of their own; docs/backup.md has a guide for both, and for what a copy is worth without APP_KEY.',
  example: ['portal backup:create backups/', 'portal backup:create portal.backup.sqlite --json'],
  reports: true,
  arguments: { file: { description: 'where the copy goes: a new file, or a folder' } },
  async run({ cwd, ui, json, args }) {
    const report = await withAnyPortal({ cwd, ui }, async ({ database, config, migrator, services }) => {
      if (database.dialect !== 'sqlite') {
        const fix = 'make the backup with mariadb-dump or mysqldump, as docs/backup.md shows';
        throw new CommandFailedError('The database is MySQL or MariaDB.', fix);
      }
      const source = sqliteFile(cwd, config.database.url);
      // Opening a missing file would create it.
      if (!existsSync(source)) throw new CommandFailedError(`${source} does not exist.`, 'correct DATABASE_URL');
      const { backUpSqlite } = await import('../../database/index.js');
      const isCurrent = (await migrator.findPending()).length === 0;
      // Read before the copy, so that the copy contains it; stored elsewhere, it later proves that nothing was cut off.
      const end = isCurrent ? await services.activities.verifier.end() : null;
      const file = targetOf(resolve(cwd, args.file), services.clock.now());
      if (existsSync(file)) throw new CommandFailedError(`${file} exists already.`, 'give another name');
      return { file, bytes: await backUpSqlite(database, file), anchor: end?.lastId ? end.lastHash : null };
    });
    const { file, bytes, anchor } = report;
    if (json) return ui.json(report);
    ui.success(`${file} (${(bytes / 1024 / 1024).toFixed(1)} MB)`);
    if (anchor) ui.line(`Note elsewhere: portal audit:verify --anchor ${anchor}`);
    ui.line('It is worth little without APP_KEY; keep that elsewhere too. docs/backup.md says how to restore.');
  },
});

/** `portal-20261121T214800Z.sqlite` */
function targetOf(path: string, now: Date): string {
  if (!existsSync(path) || !statSync(path).isDirectory()) return path;
  return join(path, `portal-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.sqlite`);
}
