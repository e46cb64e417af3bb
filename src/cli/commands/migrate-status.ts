import type { MigrationStatus } from '../../database/index.js';
import { defineCommand } from '../command.js';
import { withAnyPortal } from '../open-portal.js';

export const migrateStatus = defineCommand({
  name: 'migrate:status',
  summary: 'show which migrations have run',
  description:
    'Lists every migration with its state: ran, pending, or missing when it ran once but its file is gone. Migrations ' +
    'of one run share a batch, which is what migrate:rollback undoes.',
  example: ['portal migrate:status', 'portal migrate:status --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    const migrations = await withAnyPortal({ cwd, ui }, ({ migrator }) => migrator.status());
    if (json) {
      return ui.json({
        migrations: migrations.map((migration) => ({
          name: migration.name,
          state: stateOf(migration),
          batch: migration.batch,
          run_at: migration.runAt?.toISOString() ?? null,
        })),
      });
    }
    ui.table([
      ['MIGRATION', 'STATE', 'BATCH', 'RUN AT'],
      ...migrations.map((migration) => [
        migration.name,
        stateOf(migration),
        migration.batch === null ? '–' : String(migration.batch),
        migration.runAt?.toISOString() ?? '–',
      ]),
    ]);
  },
});

function stateOf({ runAt, missing }: MigrationStatus): 'ran' | 'pending' | 'missing' {
  if (missing) return 'missing';
  return runAt === null ? 'pending' : 'ran';
}
