import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const ROOT = process.cwd();
const COPIED = [
  'src',
  'test',
  'templates',
  'bin',
  'stubs',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.test.json',
];
/** Compiled last time, with what the compiler knows of it: it looks again at whatever had to do with the modules alone. */
const COMPILED = ['dist', 'dist-test'];
/** Of the modules themselves, and of nothing else. */
const MODULES = ['src', 'test', 'templates', 'dist', 'dist-test/src', 'dist-test/test'].map((place) =>
  join(place, 'modules'),
);

/** Optional is what can be left out: the package with `src/modules` deleted. */
describe('the package without its modules', () => {
  let folder: string;
  const run = (args: readonly string[]) => execa(process.execPath, [...args], { cwd: folder, reject: false });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portalkit-bare-'));
    const isKept = (path: string) => !MODULES.some((module) => path === join(ROOT, module));
    for (const name of [...COPIED, ...COMPILED]) {
      await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isKept });
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('builds, and so do all other tests', async () => {
    const tsc = join('node_modules', 'typescript7', 'bin', 'tsc');
    for (const [project, target, more] of [
      ['tsconfig.json', 'dist', ['--emitDeclarationOnly']],
      ['tsconfig.test.json', 'dist-test', []],
    ] as const) {
      // As scripts/compile.mjs; packages stay where they were for the compiler, in node_modules beside the sources.
      const known = ['--incremental', '--tsBuildInfoFile', `${target}/.tsbuildinfo`, '--preserveSymlinks', ...more];
      const { stdout, exitCode } = await run([tsc, '-p', project, ...known]);
      expect([project, stdout, exitCode]).toEqual([project, '', 0]);
    }
    for (const script of ['scripts/bundle.mjs', 'scripts/describe-options.mjs']) {
      const { stderr, exitCode } = await run([script]);
      expect([script, stderr, exitCode]).toEqual([script, '', 0]);
    }
  });

  it('starts a portal', async () => {
    await writeFile(
      join(folder, 'start.mjs'),
      `import { startTestPortal } from './dist/testing/index.js';
const test = await startTestPortal({ definition: {} });
const { body } = await test.api('get', '/config');
console.log(JSON.stringify(body.data.features));
await test.stop();`,
    );
    const { stdout, stderr } = await run(['start.mjs']);
    expect([stderr.replace(/^.*ExperimentalWarning.*\n.*$/m, ''), JSON.parse(stdout)]).toEqual([
      ...['', { registration: true, mfa: false, oidc: false }],
    ]);
  });

  it('says that a driver is not there', async () => {
    await writeFile(
      join(folder, 'apigee.mjs'),
      `import { startTestPortal } from './dist/testing/index.js';
const settings = { 'gateway.driver': 'apigee' };
await startTestPortal({ definition: {}, settings }).catch(({ faults }) => console.log(faults.join()));`,
    );
    const { stdout } = await run(['apigee.mjs']);
    expect(stdout).toContain(
      'names apigee, which is not part of this installation of portalkit. Fix: install the whole',
    );
  });
});
