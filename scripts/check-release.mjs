// `npm publish` runs this first. What is published is a tag that a workflow of GitHub builds, so that the registry can prove
// which source and which run it came from (provenance); everything else is refused.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { name, version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = `v${version}`;
const faults = [];

if (process.env.GITHUB_ACTIONS !== 'true' || !process.env.ACTIONS_ID_TOKEN_REQUEST_URL) {
  faults.push('only the release workflow publishes: push the tag, it does the rest');
}
if (!repository?.url) faults.push('package.json names no repository, which provenance is checked against');
if (git('rev-parse', '-q', '--verify', `${tag}^{commit}`) !== git('rev-parse', 'HEAD')) {
  faults.push(`this commit is not that of the tag ${tag}`);
}
if (git('status', '--porcelain') !== '') faults.push('the working tree differs from the commit');
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## [${version}] - `))
  faults.push(`CHANGELOG.md says nothing of ${version}`);

for (const fault of faults) console.error(`release: ${fault}`);
console.log(`release: ${name} ${version}, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
}
