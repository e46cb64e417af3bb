import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { execa } from 'execa';

const folder = mkdtempSync(join(tmpdir(), 'portal-old-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file with a Node.js that says it is another one. */
function runAs(version: string, file: string, ...args: string[]) {
  const disguise = join(folder, `${version}.cjs`);
  const versions = `Object.assign({}, process.versions, { node: '${version}' })`;
  writeFileSync(disguise, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  return execa(process.execPath, ['--require', disguise, file, ...args], { reject: false, cwd: folder });
}

describe('a Node.js that is too old', () => {
  it.each(['bin/portal.js', 'scripts/demo/start.cjs'])('is told so in one sentence by %s', async (file) => {
    for (const version of ['20.18.3', '18.20.8', '0.12.18']) {
      const { exitCode, stdout, stderr } = await runAs(version, join(process.cwd(), file));
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `portalkit needs Node.js 20.19 or newer, and this is ${version}: install a newer one from https://nodejs.org.`,
      );
    }
  });

  it('is none from the version on that package.json names', async () => {
    for (const version of ['20.19.0', '21.0.0', '24.1.0']) {
      const { exitCode, stdout } = await runAs(version, join(process.cwd(), 'bin/portal.js'), '--version');
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    }
  });

  it.each(['bin/portal.js', 'bin/node-version.js', 'scripts/demo/start.cjs'])(
    'can read %s: it is ECMAScript 5',
    (file) => {
      const text = readFileSync(file, 'utf8');
      const faults = (code: string) =>
        new Linter().verify(code, { languageOptions: { ecmaVersion: 5, sourceType: 'script' } });
      expect(faults(text)).toEqual([]);
      expect(faults(`${text}\nimport('./x.js');`)).toMatchObject([{ fatal: true }]);
      // Without the file beside it, version 12 and later take the type of the package and know no require.
      expect(file.endsWith('.cjs') || readFileSync('bin/package.json', 'utf8').includes('"commonjs"')).toBe(true);
    },
  );
});
