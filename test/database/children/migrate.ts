// Migrates the database of argv[2]. With `stall`, takes the lock, says so and stays in the middle of a migration.
import { openDatabase, Migrator } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { testConfig } from '../../support/database-config.js';

const [url = '', mode = ''] = process.argv.slice(2);
const database = openDatabase(testConfig(url), { logger: silentLogger });
const stalling = {
  name: '20260101000150-stall',
  load: async () => ({
    up: async () => {
      process.stdout.write('holding\n');
      await new Promise((resume) => setTimeout(resume, 60_000));
    },
    down: async () => undefined,
  }),
};
const migrator = new Migrator(database, { wait: 20, extra: mode === 'stall' ? [stalling] : [] });
const runs = await migrator.up();
await database.close();
process.stdout.write(JSON.stringify(runs.map(({ name }) => name)));
