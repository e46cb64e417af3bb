// `node .ci/failed-files.mjs REPORT` prints the test files of a report of jest that failed, if they are few: many are no accident.
import { readFileSync } from 'node:fs';

const MOST = 5;
const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
if (failed.length <= MOST) console.log(failed.join(' '));
