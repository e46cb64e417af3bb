import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderWith } from '../config/support.js';
import { HostProject } from '../support/host-project.js';
import { portal } from '../support/portal-command.js';

interface Made {
  written: string[];
  kept: string[];
  wiring: string[];
}

let cwd: string;
let project: HostProject;
const run = (...args: string[]) => portal(args, { cwd, env: { HOME: process.env['HOME'] ?? '/' } });

async function make(...args: string[]): Promise<Made> {
  const { stdout, stderr, exitCode } = await run(...args, '--json');
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Made;
}

beforeAll(async () => {
  const parent = await folderWith({});
  cwd = join(parent, 'acme');
  const env = { HOME: process.env['HOME'] ?? '/' };
  const { exitCode, stderr } = await portal(['init', 'acme', '--no-install', '--link', '--yes'], { cwd: parent, env });
  if (exitCode !== 0) throw new Error(stderr);
  project = await HostProject.link(cwd);
});

describe('the stubs of make:', () => {
  const made: Record<string, Made> = {};

  it.each([
    ['make:admin-page', 'partner-reports', ['src/admin/partner-reports.ts', 'test/partner-reports-admin.test.js']],
    ['make:auth-flow', 'office', ['src/office-auth-flow.ts', 'test/office-auth-flow.test.js']],
    ['make:controller', 'partner-catalog', ['src/controllers/partner-catalog.ts', 'test/partner-catalog.test.js']],
    ['make:gateway', 'kong', ['src/gateways/kong-gateway.ts', 'test/kong-gateway.test.js']],
    [
      'make:module',
      'field-notes',
      [
        'src/modules/field-notes/index.ts',
        'src/modules/field-notes/templates/theme/pages/field-notes.hbs',
        'src/modules/field-notes/templates/lang/en.json',
        'src/modules/field-notes/templates/lang/ar.json',
        'test/field-notes-module.test.js',
      ],
    ],
  ])('%s %s writes %j and says how it is wired', async (command, name, files) => {
    const report = (made[command] = await make(command, name));
    expect(report.written).toEqual(files);
    for (const path of files) {
      expect([path, await readFile(join(cwd, path), 'utf8')]).toEqual([
        path,
        expect.not.stringMatching(/\{\{[Nncst]\w*\}\}/),
      ]);
    }
    const again = await run(command, name);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining(`${files[0]} exists already.`)]);
  });

  it('finds what init wrote in place of an unnamed login flow', async () => {
    const { exitCode, stderr } = await run('make:auth-flow');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('src/auth-flow.ts exists already.')]);
  });

  it('compile, once wired as they say', async () => {
    const wiring = Object.values(made).flatMap((report) => report.wiring);
    const imports = wiring.filter((line) => line.startsWith('import '));
    const config = await readFile(join(cwd, 'portal.config.ts'), 'utf8');
    // Two of them give routes; an object has one.
    const routes = [...wiring.join('\n').matchAll(/^routes: .*\.\.\.(\w+)\],$/gm)].map(([, name]) => `...${name}`);
    const lines = [
      ...wiring.filter((line) => !/^(import|routes:) /.test(line)),
      `routes: () => [...projectRoutes, ${routes.join(', ')}],`,
    ];
    const wired = config
      .replace(/^ {2}(gateway|session): \{.*?^ {2}\},\n/gms, '')
      .replace(/^ {2}(authFlow|routes): .*\n/gm, '')
      .replace(/^export default defineConfig\(\{\n/m, (head) => `${imports.join('\n')}\n\n${head}${lines.join('\n')}\n`)
      .replace(/^import \{ ProjectAuthFlow.*\n/m, '');
    await writeFile(join(cwd, 'portal.config.ts'), wired);
    await project.typecheck();
    const { stdout } = await run('routes');
    expect(stdout).toMatch(/partner-catalog/);
    expect(stdout).toMatch(/admin\/partner-reports/);
    expect(stdout).toMatch(/me\/field-notes/);
    expect((await run('migrate', '--pretend')).stdout).toContain('field_notes_entries');
  });

  it('carry tests that pass', async () => {
    const said = await project.test();
    expect(said).toMatch(/# fail 0|ℹ fail 0/);
  });

  it.each([
    ['PartnerReports', /Try partner-reports\./],
    ['ünd', /is no name/],
    ['../etc', /is no name/],
  ])('refuse the name %s', async (name, message) => {
    const { exitCode, stderr } = await run('make:controller', name);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
