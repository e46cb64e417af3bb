import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, type Result } from 'execa';

/** Checker of hosts: what `npm run typecheck` of a project runs. */
const TSC = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc');

/** A host project in a folder, on this checkout instead of an installed package. */
export class HostProject {
  private constructor(readonly cwd: string) {}

  /** Links this checkout, and what a project needs to be checked, into the folder's node_modules. */
  static async link(cwd: string): Promise<HostProject> {
    const modules = join(cwd, 'node_modules');
    await mkdir(join(modules, '@types'), { recursive: true });
    for (const [name, target] of [
      ['portalkit', process.cwd()],
      ['@types/node', join(process.cwd(), 'node_modules', '@types', 'node')],
    ] as const) {
      if (!existsSync(join(modules, name))) await symlink(target, join(modules, name));
    }
    return new HostProject(cwd);
  }

  /** `npm test` of a project: Node's own runner. @throws Error with what it said */
  test(...files: string[]): Promise<string> {
    return this.run(['--test', ...files]);
  }

  /** `npm run typecheck` of a project. @throws Error with the faults */
  typecheck(): Promise<string> {
    return this.run([TSC, '--project', this.cwd]);
  }

  private async run(args: readonly string[]): Promise<string> {
    // A test of a project must not think that it runs inside of another runner.
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const result: Result = await execa(process.execPath, [...args], {
      cwd: this.cwd,
      env,
      extendEnv: false,
      reject: false,
    });
    const said = `${String(result.stdout)}\n${String(result.stderr)}`;
    if (result.exitCode !== 0) throw new Error(`node ${args.join(' ')} ended with ${result.exitCode}:\n${said}`);
    return said;
  }
}
