import { readFileSync, writeFileSync } from 'node:fs';

/** Every name that a release ever read from the environment. A name is an interface: people's deployments set it. */
const KEPT = 'test/data/setting-names.txt';
/** The page is generated from the options themselves. */
const PAGE = 'docs/configuration.md';
const ROW = /^\| `[\w.]+` +\| (`[A-Z][A-Z0-9_]*`(?:, `[A-Z][A-Z0-9_]*`)*)/gm;

const known = [...readFileSync(PAGE, 'utf8').matchAll(ROW)]
  .flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
  .sort();

describe('the names of settings', () => {
  if (process.env.PORTAL_UPDATE_SETTING_NAMES) {
    const before = readFileSync(KEPT, 'utf8').split('\n').filter(Boolean);
    writeFileSync(KEPT, `${[...new Set([...before, ...known])].sort().join('\n')}\n`);
  }
  const kept = readFileSync(KEPT, 'utf8').trim().split('\n');

  it('of every release are still read: a setting that is renamed keeps its old name among the `env` of its option', () => {
    expect(known.length).toBeGreaterThan(100);
    expect(kept.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are all kept: PORTAL_UPDATE_SETTING_NAMES=1 npm test -- setting-names adds new ones', () => {
    expect(known.filter((name) => !kept.includes(name))).toEqual([]);
  });
});
