import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { deep } from '../support/small-specs.js';

let root: string;
beforeAll(async () => {
  root = await folderWith({});
  write('old.yaml', ['a', 'b']);
  write('fewer.yaml', ['a']);
  write('more.yaml', ['a', 'b', '<c>|"d"']);
});

/** A document whose field `state` has these values in requests and responses. */
function write(name: string, values: readonly string[]): void {
  const schema = { type: 'object', properties: { state: { enum: values } } };
  const content = { 'application/json': { schema } };
  const post = { requestBody: { content }, responses: { 200: { description: 'ok', content } } };
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: { '/pets': { post } } };
  writeFileSync(join(root, name), JSON.stringify(document));
}

const run = (...args: string[]) => portal(['spec:diff', ...args], { cwd: root });

describe('portal spec:diff', () => {
  it('says what breaks callers in words and ends with 1', async () => {
    const { exitCode, stdout } = await run('old.yaml', 'fewer.yaml');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'breaking  POST /pets  Request field state: the value b is gone  [request-property-enum-value-removed]',
    );
    expect(stdout).toContain('1 breaking, 0 warnings, 1 others.');
  });

  it('ends with 0 when nothing is as bad as --fail-on says', async () => {
    expect((await run('old.yaml', 'old.yaml')).stdout).toContain('Nothing changed for callers.');
    expect((await run('old.yaml', 'more.yaml')).exitCode).toBe(0);
    expect((await run('old.yaml', 'more.yaml', '--fail-on', 'warning')).exitCode).toBe(1);
    expect((await run('old.yaml', 'fewer.yaml', '--fail-on', 'never')).exitCode).toBe(0);
  });

  it('does not call safe what it could not compare in whole', async () => {
    writeFileSync(join(root, 'deep.yaml'), JSON.stringify(deep({ type: 'string' })));
    writeFileSync(join(root, 'deeper.yaml'), JSON.stringify(deep({ type: 'integer' })));
    const { exitCode, stdout } = await run('deep.yaml', 'deeper.yaml');
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('too involved to be compared in whole')]);
    expect((await run('deep.yaml', 'deeper.yaml', '--fail-on', 'never')).exitCode).toBe(0);
    const junit = (await run('deep.yaml', 'deeper.yaml', '--format', 'junit')).stdout;
    const [, tests, failures] = /<testsuites tests="(\d+)" failures="(\d+)">/.exec(junit) ?? [];
    expect([junit.split('<testcase ').length - 1, junit.split('<failure ').length - 1]).toEqual([
      Number(tests),
      Number(failures),
    ]);
    expect(junit).toContain('<failure message="The documents are too involved to be compared in whole');
  });

  it('ends with 2 and names the document that it cannot read', async () => {
    const missing = await run('old.yaml', 'gone.yaml');
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining('gone.yaml: There is no such file'),
    ]);
    writeFileSync(join(root, 'broken.yaml'), 'openapi: 3.0.3\n');
    const broken = await run('broken.yaml', 'old.yaml');
    expect([broken.exitCode, broken.stderr]).toEqual([2, expect.stringContaining('broken.yaml: The document has no')]);
  });

  it('writes JSON, Markdown and JUnit in which values of a document do no harm', async () => {
    const json = JSON.parse((await run('old.yaml', 'more.yaml', '--json')).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({
      ...{ counts: { breaking: 0, warning: 1, info: 1 }, more: 0, complete: true },
      changes: [{ id: 'response-property-enum-value-added', level: 'warning', new: '<c>|"d"' }, {}],
    });
    expect((await run('old.yaml', 'more.yaml', '--format', 'markdown')).stdout).toContain(
      String.raw`- **POST /pets** – Field state of response 200: the value \<c\>\|"d" is new (` + '`response-property',
    );
    const { stdout } = await run('more.yaml', 'old.yaml', '--format', 'junit');
    expect(stdout).toContain('<testsuites tests="2" failures="1">');
    // The file fails where the command does.
    const strict = await run('old.yaml', 'more.yaml', '--format', 'junit', '--fail-on', 'warning');
    expect([strict.exitCode, strict.stdout]).toEqual([1, expect.stringContaining('failures="1"')]);
    expect(stdout).toContain('<failure message="Request field state: the value &lt;c&gt;|&quot;d&quot; is gone"');
  });
});
