import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { checkDeployed } from '../check-deployed.js';
import { defineCommand } from '../command.js';
import { reportFindings } from '../doctor-finding.js';
import { EXIT, UsageError } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import { DEPLOY_TARGETS, readDeployed, targetsOf, type DeployTargetName } from '../project/deployed.js';

const NAMES = Object.keys(DEPLOY_TARGETS) as DeployTargetName[];

export const deployCheck = defineCommand({
  name: 'deploy:check',
  summary: 'check what is written down for a target, before it is deployed',
  description:
    'Reads what portal publish wrote for a target and what was filled in since, starts from the settings that the portal would ' +
    'get there instead of those of this machine, and says what would keep it from running well: settings that are wrong, unknown or ' +
    'left as in the example, replicas that share a SQLite file, too little time to stop, health that is asked for at the wrong ' +
    'address, an image that cannot be built. It connects with nothing: portal doctor does, on the target. Exits with 1 after a failure.',
  example: [
    'portal deploy:check',
    'portal deploy:check fly --env-file .env.fly',
    'portal deploy:check docker --json --strict',
  ],
  arguments: { target: { description: `one of ${NAMES.join(', ')}; the one that the project has`, optional: true } },
  options: {
    envFile: {
      type: 'text',
      placeholder: 'file',
      description: 'settings that the target keeps elsewhere, secrets above all',
    },
    strict: { type: 'flag', description: 'let a warning count as a failure' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options: { envFile, strict } }) {
    await requireHostProject(cwd);
    const target = chooseTarget(cwd, args.target);
    const extra = envFile === undefined ? {} : await readSettings(resolve(cwd, envFile), envFile);
    const deployed = await readDeployed(cwd, target, extra);
    const findings = await checkDeployed(cwd, target, deployed);
    return reportFindings(findings, { ui, json, strict, target }) ? EXIT.ok : EXIT.failed;
  },
});

function chooseTarget(cwd: string, named: string | undefined): DeployTargetName {
  const target = NAMES.find((name) => name === named);
  if (target !== undefined) return target;
  if (named !== undefined) throw new UsageError(`There is no target ${named}. It is one of ${NAMES.join(', ')}.`);
  const [only, ...others] = targetsOf(cwd);
  if (only === undefined)
    throw new UsageError('Nothing is published for a target yet: portal publish docker, for example.');
  if (others.length > 0)
    throw new UsageError(`The project has several targets. Say which: ${[only, ...others].join(', ')}.`);
  return only;
}

async function readSettings(path: string, name: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${name} cannot be read. Name it as a path from the current folder.`);
  });
  return parseEnv(text) as Record<string, string>;
}
