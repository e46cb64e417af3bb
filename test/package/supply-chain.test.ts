import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { folderWith } from '../config/support.js';

const ROOT = process.cwd();
const script = (name: string) => join(ROOT, 'scripts', `${name}.mjs`);

interface Bom {
  serialNumber: string;
  metadata: { component: { name: string; 'bom-ref': string } };
  components: { name: string; version: string; hashes: unknown[]; 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}
interface Lockfile {
  packages: Record<string, { dev?: boolean; version: string }>;
}

describe('npm run sbom (S87)', () => {
  let text: string;
  let bom: Bom;
  beforeAll(async () => {
    ({ stdout: text } = await execa(process.execPath, [script('sbom')]));
    bom = JSON.parse(text) as Bom;
  });

  it('is a CycloneDX document by its schema', async () => {
    const { Validation, Spec } = createRequire(import.meta.url)(
      '@cyclonedx/cyclonedx-library',
    ) as typeof import('@cyclonedx/cyclonedx-library');
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(text)).toBeNull();
    expect(await validator.validate(text.replace('"components"', '"component"'))).not.toBeNull();
  });

  it('names every package that ships, bundled ones too, with its hash, and none that only development needs', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile;
    const bundled = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod'];
    const isBundled = (path: string) => bundled.includes(path.replace('node_modules/', ''));
    const shipped = Object.entries(packages).filter(
      ([path, { dev }]) => path !== '' && (dev !== true || isBundled(path)),
    );
    const refs = shipped.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    expect(bom.components.map((component) => component['bom-ref'])).toEqual([...new Set(refs)].sort());
    expect(bom.components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  });

  it('tells what needs what, so that nothing in it is there for no reason', () => {
    const { component } = bom.metadata;
    expect(component.name).toBe('portalkit');
    const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      needs.get(ref)?.forEach(visit);
    };
    visit(component['bom-ref']);
    reached.delete(component['bom-ref']);
    expect([...reached].sort()).toEqual(bom.components.map((entry) => entry['bom-ref']));
  });

  it('is the same for the same lockfile', async () => {
    expect((await execa(process.execPath, [script('sbom')])).stdout).toBe(text);
    expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('the workflows (S87)', () => {
  interface Workflow {
    permissions: object;
    jobs: Record<string, { permissions?: object; steps: { uses?: string; run?: string }[] }>;
  }
  const folder = join(ROOT, '.github', 'workflows');
  const files = readdirSync(folder);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');

  it.each(files)('%s pins its actions by commit and may only read', (file) => {
    const { permissions, jobs } = parse(read(file)) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses = '' }) => uses || []));
    expect(used.filter((uses) => !/^[\w./-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
    // The version is for people, and for what keeps the pins up to date.
    expect(read(file).match(/uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)).toHaveLength(used.length);
  });

  it('publish with provenance from the release alone', () => {
    expect(files.filter((file) => read(file).includes('id-token'))).toEqual(['release.yml']);
    expect(files.filter((file) => read(file).includes('npm publish'))).toEqual(['release.yml']);
    expect(read('release.yml')).toMatch(/npm publish --provenance$/m);
    expect(read('ci.yml')).toMatch(/run: bash \.ci\/run \$EXTENT$/m);
  });
});

describe('npm run release', () => {
  let clone: string;
  const git = async (...args: string[]) => (await execa('git', args, { cwd: clone })).stdout;
  const release = (...args: string[]) =>
    execa(process.execPath, ['scripts/release.mjs', ...args], { cwd: clone, reject: false });

  beforeAll(async () => {
    clone = await folderWith({});
    await mkdir(join(clone, 'scripts'));
    for (const file of ['package.json', 'package-lock.json', 'scripts/release.mjs', 'scripts/check-release.mjs'])
      await cp(join(ROOT, file), join(clone, file));
    const manifest = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as {
      version: string;
      scripts: Record<string, string>;
    };
    // What it runs takes an hour, and is run by others.
    manifest.scripts['release:check'] = 'node -e "process.exit(Number(fs.existsSync(\'broken\')))"';
    manifest.version = '0.3.0';
    await writeFile(join(clone, 'package.json'), JSON.stringify(manifest));
    await writeFile(
      join(clone, 'CHANGELOG.md'),
      '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.3.0] - 2026-01-01\n',
    );
    await git('init', '--quiet');
    await git('config', 'user.email', 'release@example.com');
    await git('config', 'user.name', 'Release');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'feat: a thing');
  });

  it.each([
    [[], 'name a version'],
    [['0.4'], 'name a version'],
    [['0.3.0'], '0.3.0 is not higher than 0.3.0'],
    [['0.2.9'], '0.2.9 is not higher than 0.3.0'],
    [['0.4.0', '--publish'], 'unknown: --publish'],
  ])('refuses %j', async (args, complaint) => {
    const { exitCode, stderr } = await release(...args);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(complaint)]);
  });

  it('refuses a working tree with changes, and checks that fail', async () => {
    await writeFile(join(clone, 'broken'), '');
    expect((await release('0.4.0', '--yes')).stderr).toContain('the working tree has changes');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'test: broken');
    expect((await release('0.4.0', '--yes')).stderr).toContain('npm run release:check failed');
    expect(await git('status', '--porcelain')).toBe('');
    await git('reset', '--quiet', '--hard', 'HEAD~1');
  });

  it('only tells what it would do without --yes', async () => {
    const { exitCode, stdout } = await release('0.4.0');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('would write: a commit and the tag v0.4.0')]);
    expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', '']);
  });

  it('writes version and changelog, commits and tags, and publishes nothing', async () => {
    expect((await release('0.4.0', '--yes')).exitCode).toBe(0);
    expect(await git('log', '-1', '--format=%s')).toBe('chore: release 0.4.0');
    expect(await git('cat-file', '-t', 'v0.4.0')).toBe('tag');
    expect(await git('rev-parse', 'v0.4.0^{commit}')).toBe(await git('rev-parse', 'HEAD'));
    const today = new Date().toISOString().slice(0, 10);
    expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toBe(
      `# Changelog\n\n## [Unreleased]\n\n## [0.4.0] - ${today}\n\n### Added\n\n- A thing.\n\n## [0.3.0] - 2026-01-01\n`,
    );
    for (const file of ['package.json', 'package-lock.json'])
      expect(JSON.parse(await readFile(join(clone, file), 'utf8'))).toMatchObject({ version: '0.4.0' });
    expect((await release('0.5.0')).stderr).toContain('nothing under [Unreleased]');
  });

  it('leaves publishing to the workflow: elsewhere npm publish stops before anything is sent', async () => {
    const check = (env: Record<string, string>) =>
      execa(process.execPath, ['scripts/check-release.mjs'], {
        cwd: clone,
        reject: false,
        env: { PATH: process.env.PATH, ...env },
        extendEnv: false,
      });
    const here = await check({});
    expect([here.exitCode, here.stderr]).toEqual([1, expect.stringContaining('only the release workflow publishes')]);
    const there = await check({ GITHUB_ACTIONS: 'true', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example' });
    expect(there.stderr).toBe('release: package.json names no repository, which provenance is checked against');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['prepublishOnly']).toBe('node scripts/check-release.mjs');
  });
});
