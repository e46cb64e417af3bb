// npm run check: everything but the tests, in two lanes, because ESLint takes as long as all the others together. What a check
// prints appears when it ends; one that fails keeps no other from running, and the exit code tells.
import { execa } from 'execa';

const LANES = [['lint'], ['types', 'imports', 'format:check', 'unused', 'docs:check']];

await Promise.all(LANES.map(runLane));

async function runLane(names) {
  for (const name of names) {
    const options = { all: true, reject: false, stdin: 'ignore' };
    const { all, failed } = await execa('npm', ['run', '--silent', name], options);
    console.log(`— ${name}${failed ? ': FAILED' : ''}${all === '' ? '' : `\n${all}`}`);
    if (failed) process.exitCode = 1;
  }
}
