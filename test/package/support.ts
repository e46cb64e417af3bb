import { execa } from 'execa';

/** What npm needs of our environment; a DATABASE_URL of the caller's shell must not reach the project. */
const PASSED_ON = /^(PATH|HOME|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no|all)_proxy|npm_config_\w+)$/i;
const environment = () => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
});
/** A program as somebody has it who installs a project, at its end. */
export const run = (program: string, args: readonly string[], cwd: string) =>
  execa(program, args, { cwd, env: environment(), extendEnv: false });

/** Has a project check its types and run its tests. */
export async function passOwnChecks(project: string): Promise<void> {
  await run('npm', ['run', 'typecheck'], project);
  const { stdout } = await run('npm', ['test'], project);
  expect(stdout).toMatch(/^# pass \d+$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
}
