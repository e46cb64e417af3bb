// Imports an organization of 10 000 developers with 20 000 apps into a fresh portal, interrupted once half way, and looks
// whether both sides are equal then and how much memory it took.
//
//   npm run build && npm run build:test && node --expose-gc scripts/test-import.mjs [--developers 10000] [--database sqlite|mysql]
import { parseArgs } from 'node:util';
import { importOrganization } from '../dist-test/test/support/import-run.js';

const { values } = parseArgs({
  options: {
    developers: { type: 'string', default: '10000' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const { seconds, growth, isEqual, report, again } = await importOrganization(
  values.database,
  Number(values.developers),
);
console.log(report);
console.log(
  `${seconds.toFixed(1)} s, ${growth.toFixed(0)} MB more at most, equal: ${isEqual}, a second run takes ${again}`,
);
process.exit(isEqual && again === 0 ? 0 : 1);
