import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { execa } from 'execa';

const COPIED = ['src', 'templates', 'bin', 'stubs', 'docs', 'scripts', 'package.json', 'tsconfig.json'];
/** Lines around a change that may have moved on since the patch was made. */
const FUZZ = 2;

/**
 * The two changes of docs/architecture.md that touch most rooms, as an engineer would write them. A patch that no longer
 * fits is made again: write the change into a clean clone, then `git add -N . && git diff -U1`.
 */
describe('a change to the house', () => {
  const field = readPatch('product-field');
  const resource = readPatch('admin-resource');
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portalkit-change-'));
    for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('touches at most 11 files for a nullable field of a product, its test included', () => {
    expect(field.map(fileOf).length + 1).toBeLessThanOrEqual(11);
  });

  it('touches at most 20 files for an admin resource with REST, permissions, a page and documentation, its test included', () => {
    expect(resource.map(fileOf).length + 1).toBeLessThanOrEqual(20);
  });

  it('touches the files that the documentation names', () => {
    const text = readFileSync('docs/architecture.md', 'utf8');
    expect([...field, ...resource].map(fileOf).filter((file) => !text.includes(nameOf(file)))).toEqual([]);
  });

  it('works once these files are written: compiled, migrated, served', async () => {
    for (const patch of [...field, ...resource]) apply(patch, folder);
    const run = (args: readonly string[]) => execa(process.execPath, args, { cwd: folder, reject: false });
    const compiled = await run([join('node_modules', 'typescript7', 'bin', 'tsc'), '-p', 'tsconfig.json']);
    expect([compiled.stdout, compiled.exitCode]).toEqual(['', 0]);
    cpSync(join('test', 'house', 'changes', 'walk.mjs'), join(folder, 'walk.mjs'));
    const { stdout, stderr } = await run(['walk.mjs']);
    expect([stderr.replace(/^.*ExperimentalWarning.*\n.*$/m, ''), stdout && JSON.parse(stdout)]).toEqual([
      '',
      {
        product: [200, 'https://example.com/help'],
        refused: [422, ['support_url']],
        reader: 'https://example.com/help',
        productPage: true,
        announcement: [201, 'New sandbox'],
        changed: [200, 'New date'],
        forbidden: 403,
        announcementPage: [200, true],
        activities: ['announcement.updated', 'announcement.created'],
        documented: true,
      },
    ]);
  });
});

function readPatch(name: string): StructuredPatch[] {
  return parsePatch(readFileSync(join('test', 'house', 'changes', `${name}.patch`), 'utf8'));
}

function fileOf({ newFileName = '' }: StructuredPatch): string {
  return newFileName.replace(/^b\//, '');
}

/** Names of migrations begin with a time that the documentation leaves out. */
function nameOf(file: string): string {
  return file.replace(/^.*\/\d{14}-/, '');
}

function apply(patch: StructuredPatch, folder: string): void {
  const file = join(folder, fileOf(patch));
  const isNew = patch.oldFileName === '/dev/null';
  const text = applyPatch(isNew ? '' : readFileSync(file, 'utf8'), patch, { fuzzFactor: FUZZ });
  if (text === false) throw new Error(`${fileOf(patch)} has changed so much that the patch no longer fits`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
