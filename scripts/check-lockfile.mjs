// The lockfile pins contents, not places: every package has an integrity hash, none names where it came from, install
// scripts are decided by name in `allowScripts`, and no package with a known hole in it is below its floor (S87).
import { readFileSync } from 'node:fs';

const FLOORS = { sequelize: '6.37.8', handlebars: '4.7.10', 'body-parser': '2.3.0', qs: '6.14.2' };

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { allowScripts = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
const faults = [];

for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.link) continue;
  const name = path.split('node_modules/').at(-1);
  if (/^[a-z+]+:/.test(entry.resolved ?? '')) faults.push(`${path} names the place it came from: ${entry.resolved}`);
  if (!entry.integrity && !entry.inBundle) faults.push(`${path} has no integrity hash`);
  // Optional packages are for other systems; npm decides about them where they are installed.
  if (entry.hasInstallScript && !entry.optional && !(name in allowScripts)) {
    faults.push(`${name} has an install script: decide about it in "allowScripts" of package.json`);
  }
  // npm leaves out what the registry does not have (yet) and `npm ci` then refuses the lockfile: pin an older version.
  for (const optional of Object.keys(entry.optionalDependencies ?? {})) {
    if (!locked.has(optional))
      faults.push(`${optional}, which ${name} may need on other systems, is not in the lockfile`);
  }
  const floor = FLOORS[name];
  if (floor && isBelow(entry.version, floor)) faults.push(`${path} is ${entry.version}, below ${floor}`);
}

for (const fault of faults) console.error(`lockfile: ${fault}`);
console.log(`lockfile: ${Object.keys(packages).length - 1} packages, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

function isBelow(version, floor) {
  const [own, least] = [version, floor].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const at = own.findIndex((part, index) => part !== least[index]);
  return at >= 0 && own[at] < least[at];
}
