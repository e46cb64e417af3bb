import { resolve } from 'node:path';
import { defineCommand } from '../command.js';
import {
  checkDriver,
  checkNode,
  checkPackage,
  checkSecretsFile,
  checkSqliteFile,
  checkStorage,
} from '../check-machine.js';
import { checkMetrics, checkProxy, checkTemplates, checkMessages } from '../check-surroundings.js';
import { failure, pass, reportFindings, splitFault, warning, type Finding } from '../doctor-finding.js';
import { EXIT } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import type { Ui } from '../ui.js';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check the environment of the project',
  description:
    'Checks Node.js and portalkit, the configuration and its secrets, file permissions, published views and words, proxies, the database with its ' +
    'clock and migrations, APP_KEY, admins, webhooks, the gateway, Redis and the mail server, and says what to do about each fault. ' +
    'Changes nothing. Exits with 1 when something keeps the portal from working, with --strict also for a warning. The ' +
    'names of the checks are stable; docs/production.md lists them.',
  example: ['portal doctor', 'portal doctor --json --strict'],
  reports: true,
  options: { strict: { type: 'flag', description: 'let a warning count as a failure' } },
  async run({ cwd, ui, json, options: { strict } }) {
    await requireHostProject(cwd);
    const findings = [checkNode(), checkPackage(cwd), checkSecretsFile(cwd), ...(await checkProject(cwd, ui))];
    const isFine = reportFindings(findings, { ui, json, strict });
    return isFine ? EXIT.ok : EXIT.failed;
  },
});

// An unusable configuration is a finding too, and ends the checks.
async function checkProject(cwd: string, ui: Ui): Promise<Finding[]> {
  const [{ loadConfig }, { assemblePortal }, { ConfigurationError, createLogger }, { checkPortal }] = await Promise.all(
    [
      import('../../config/index.js'),
      import('../../open-portal.js'),
      import('../../core/index.js'),
      import('../check-portal.js'),
    ],
  );
  try {
    const loaded = await loadConfig({ cwd });
    const { config, root, warnings } = loaded;
    const files = [...checkSqliteFile(root, config.database.url), ...(await checkDriver(root, config))];
    const portal = assemblePortal(loaded, {
      logger: createLogger('error', { write: (line) => ui.note(line.trimEnd()) }),
    });
    try {
      const templates = await checkTemplates(resolve(root, config.theme.viewsDir));
      const messages = await checkMessages(portal);
      const around = [
        checkStorage(root, config),
        ...files,
        templates,
        messages,
        checkProxy(config),
        checkMetrics(config),
      ];
      const findings = [...configurationFindings(warnings), ...around];
      return [...findings, ...(await checkPortal(portal, root))];
    } finally {
      await portal.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((fault) => failure('configuration', ...splitFault(fault)));
  }
}

function configurationFindings(warnings: readonly string[]): Finding[] {
  if (warnings.length === 0) return [pass('configuration', 'complete, no unsafe value')];
  return warnings.map((text) => {
    const [message, fix = 'see docs/configuration.md'] = splitFault(text);
    return warning('configuration', message, fix);
  });
}
