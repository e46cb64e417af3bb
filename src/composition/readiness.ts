import type { Database, Migrator } from '../database/index.js';
import type { ReadinessCheck } from '../http/index.js';

export function databaseAnswers(database: Database): ReadinessCheck {
  return { name: 'database', check: async () => void (await database.select('SELECT 1')) };
}

// Once done they stay done for this process; only a new release brings new ones.
export function migrationsAreDone(migrator: Migrator): ReadinessCheck {
  let done = false;
  return {
    name: 'migrations',
    essential: true,
    check: async () => {
      done ||= (await migrator.pending()).length === 0;
      if (!done) throw new Error('migrations are pending');
    },
  };
}
