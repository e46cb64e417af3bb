// Reads and then writes one counter argv[3] times, each in a transaction.
import { openDatabase } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { testConfig } from '../../support/database-config.js';

const [url = '', times = '0'] = process.argv.slice(2);
const database = openDatabase(testConfig(url), { logger: silentLogger });
const failures: string[] = [];
for (let i = 0; i < Number(times); i += 1) {
  await database
    .transaction(async (transaction) => {
      const [row] = await database.select<{ n: number }>('SELECT n FROM counters', [], { transaction });
      await database.execute('UPDATE counters SET n = ?', [(row?.n ?? 0) + 1], { transaction });
    })
    .catch((error: unknown) => failures.push(String(error)));
}
await database.close();
process.stdout.write(JSON.stringify(failures));
