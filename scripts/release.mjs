// Makes a release of what is committed: checks everything, moves [Unreleased] of the changelog under the version, commits and
// tags. It pushes and publishes nothing: a pushed tag does (.github/workflows/release.yml).
// Usage: npm run release -- 0.4.0 [--yes]     without --yes it only says what it would do
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [version, ...flags] = process.argv.slice(2);
const isReal = flags.includes('--yes');
const manifest = read('package.json');
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const HEADING = '## [Unreleased]\n';
const news = changelog
  .slice(changelog.indexOf(HEADING) + HEADING.length)
  .split(/^## \[/m)[0]
  .trim();

const faults = faultsOf();
for (const fault of faults) console.error(`release: ${fault}`);
if (faults.length > 0) process.exit(1);

// Before anything is written: a failed check leaves nothing behind.
console.log(`release: checking ${manifest.name} ${version}`);
run('npm', 'run', 'release:check');
const steps = [
  ['the version of package.json and package-lock.json', writeVersion],
  [`CHANGELOG.md: ${news.split('\n').length} lines under ${version}`, writeChangelog],
  [`a commit and the tag v${version}`, commit],
];
for (const [what, step] of steps) {
  console.log(`${isReal ? 'release' : 'would write'}: ${what}`);
  if (isReal) step();
}
console.log(isReal ? `release: git push --follow-tags publishes it` : 'release: nothing was written; --yes does it');

function faultsOf() {
  const found = [];
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) return ['name a version: npm run release -- 0.4.0 [--yes]'];
  if (flags.some((flag) => flag !== '--yes')) found.push(`unknown: ${flags.filter((flag) => flag !== '--yes')}`);
  if (!isHigher(version, manifest.version)) found.push(`${version} is not higher than ${manifest.version}`);
  if (git('status', '--porcelain') !== '') found.push('the working tree has changes: commit them or put them away');
  if (git('tag', '--list', `v${version}`) !== '') found.push(`the tag v${version} exists`);
  if (!changelog.includes(HEADING) || news === '') found.push('CHANGELOG.md has nothing under [Unreleased]');
  return found;
}

function isHigher(next, present) {
  const [own, least] = [next, present].map((text) => text.split('.').map(Number));
  const at = own.findIndex((part, index) => part !== least[index]);
  return at >= 0 && own[at] > least[at];
}

function writeVersion() {
  for (const file of ['package.json', 'package-lock.json']) {
    const content = read(file);
    content.version = version;
    if (content.packages) content.packages[''].version = version;
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
}

function writeChangelog() {
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', changelog.replace(HEADING, `${HEADING}\n## [${version}] - ${today}\n`));
}

function commit() {
  run('git', 'add', 'package.json', 'package-lock.json', 'CHANGELOG.md');
  run('git', 'commit', '--quiet', '--message', `chore: release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `${manifest.name} ${version}`);
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
}

function run(program, ...args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`release: ${program} ${args.join(' ')} failed`);
  process.exit(1);
}
