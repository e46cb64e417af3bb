// Kills a real `portal serve` with SIGKILL while developers write through HTTP, again and again, and checks after each kill
// that the database holds no half of anything and that the next process keeps what the dead one promised.
//
//   npm run test:crash [-- --kills 50 --database sqlite|mysql --writers 8 --seed 1]
//
// The seed decides what is written and when the process dies; a run with the same seed is similar, never equal.
//
//   npm run test:crash -- --sagas local|remote|apigee-x|apigee-edge [--database sqlite|mysql --changes createApp,deleteKey]
//
// kills a process at every single step of every change that spans portal and gateway instead, and looks whether recovery
// brings both sides together each time.
import { parseArgs } from 'node:util';
import { crashAgainAndAgain } from '../dist-test/test/support/crash/crash-run.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    database: { type: 'string', default: 'sqlite' },
    writers: { type: 'string', default: '8' },
    sagas: { type: 'string' },
    changes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
if (!['sqlite', 'mysql'].includes(values.database)) {
  console.error('--database is sqlite or mysql');
  process.exit(2);
}
if (values.sagas !== undefined) {
  const { sagaGateways } = await import('../dist-test/test/support/crash/operation-gateways.js');
  const { breakOffEverywhere } = await import('../dist-test/test/support/crash/operation-run.js');
  if (!Object.hasOwn(sagaGateways, values.sagas)) {
    console.error(`--sagas is one of ${Object.keys(sagaGateways).join(', ')}`);
    process.exit(2);
  }
  const { stop, ...gateway } = await sagaGateways[values.sagas]();
  const report = (line) => console.log(line);
  const operations = values.changes?.split(',');
  const { kills, faults } = await breakOffEverywhere({ dialect: values.database, ...gateway, operations, report });
  await stop();
  console.log(`${kills} kills, ${faults.length} faults`);
  process.exit(faults.length > 0 ? 1 : 0);
}
const seed = Number(values.seed);
console.log(`${values.kills} kills on ${values.database}, seed ${seed}`);
const { accepted, cutOff, faults } = await crashAgainAndAgain({
  kills: Number(values.kills),
  dialect: values.database,
  writers: Number(values.writers),
  seed,
  report: (line) => console.log(line),
});
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(`${accepted} changes accepted, ${cutOff} cut off, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
