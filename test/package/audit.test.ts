import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the script with a stand-in for npm that prints this. */
function audit(printed: { out?: string; err?: string }, ...flags: string[]) {
  const program = join(folder, 'npm');
  const { out = '', err = '' } = printed;
  const source = `process.stdout.write(${JSON.stringify(out)}); process.stderr.write(${JSON.stringify(err)});`;
  writeFileSync(program, `#!${process.execPath}\n${source}\n`);
  chmodSync(program, 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/audit.mjs', ...flags], {
    env,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

/** Of npm, with advisories against these packages: path in the lockfile → severity. */
const report = (advisories: Record<string, string>) => ({
  out: JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(advisories).map(([path, severity]) => {
        const name = path.replace('node_modules/', '');
        return [name, { name, severity, via: [], effects: [], nodes: [path] }];
      }),
    ),
  }),
});
const AWAY = [
  { err: 'npm warn audit 405 Method Not Allowed - POST https://registry.example/advisories/bulk' },
  { err: 'npm error code ENOTFOUND' },
  { out: '{"error":{"summary":"audit endpoint returned an error"}}' },
];

describe('the audit of what ships', () => {
  it('passes and fails by the advisories that there are', () => {
    expect(audit(report({}))).toMatchObject({ status: 0 });
    expect(audit(report({ 'node_modules/express': 'moderate' }))).toMatchObject({ status: 0 });
    expect(audit(report({ 'node_modules/express': 'high' }))).toMatchObject({ status: 1 });
    expect(audit(report({ 'node_modules/express': 'critical' }), '--if-available')).toMatchObject({ status: 1 });
  });

  it('knows what only development needs from what the build puts into the package', () => {
    const { status, said } = audit(report({ 'node_modules/jest': 'critical', 'node_modules/esbuild': 'high' }));
    expect([status, said]).toEqual([0, expect.stringContaining('0 critical, 0 high')]);
    for (const name of ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod'])
      expect(audit(report({ [`node_modules/${name}`]: 'high' }))).toMatchObject({ status: 1 });
  });

  it.each(AWAY)('fails when no advisories can be had, unless the run may do without: %j', (printed) => {
    const { status, said } = audit(printed);
    expect([status, said]).toEqual([1, expect.stringContaining('nothing is known of the packages')]);
    expect(audit(printed, '--if-available')).toEqual({ status: 0, said: expect.stringContaining('NOT DONE') });
  });

  it('fails when npm says something else', () => {
    expect(audit({ err: 'Segmentation fault' }, '--if-available').status).toBe(1);
  });

  it('is asked for by a release without that exception', async () => {
    const { readFile } = await import('node:fs/promises');
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['release:check']).toContain('npm run audit:production &&');
    expect(scripts['audit:production']).toBe('node scripts/audit.mjs');
  });
});
