import { resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { checkDriver, checkNode, checkSecretsFile, checkSqliteFile, checkStorage } from '../check-machine.js';
import { checkMetrics, checkProxy, checkTemplates, checkMessages } from '../check-surroundings.js';
import { failure, pass, warning, type Finding } from '../doctor-finding.js';
import { EXIT } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import type { Ui } from '../ui.js';

const MARKS = { ok: '✓', warning: '!', failure: '✗' } as const;

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check the environment of the project',
  description:
    'Checks Node.js, the configuration and its secrets, file permissions, published views and words, proxies, the database with its ' +
    'clock and migrations, APP_KEY, admins, webhooks, the gateway, Redis and the mail server, and says what to do about each fault. ' +
    'Changes nothing. Exits with 1 when something keeps the portal from working, with --strict also for a warning. The ' +
    'names of the checks are stable; docs/production.md lists them.',
  example: ['portal doctor', 'portal doctor --json --strict'],
  reports: true,
  options: { strict: { type: 'flag', description: 'let a warning count as a failure' } },
  async run({ cwd, ui, json, options: { strict } }) {
    await requireHostProject(cwd);
    const findings = [checkNode(), checkSecretsFile(cwd), ...(await checkProject(cwd, ui))];
    const failures = findings.filter(({ status }) => status === 'failure').length;
    const isFine = strict ? findings.every(({ status }) => status === 'ok') : failures === 0;
    if (json) ui.json({ ok: isFine, checks: findings });
    else report(findings, failures, ui);
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
      const words = await checkMessages(portal);
      const around = [checkStorage(root, config), ...files, templates, words, checkProxy(config), checkMetrics(config)];
      const findings = [...configurationFindings(warnings), ...around];
      return [...findings, ...(await checkPortal(portal, root))];
    } finally {
      await portal.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((fault) => failure('configuration', ...split(fault)));
  }
}

function configurationFindings(warnings: readonly string[]): Finding[] {
  if (warnings.length === 0) return [pass('configuration', 'complete, no unsafe value')];
  return warnings.map((text) => {
    const [message, fix = 'see docs/configuration.md'] = split(text);
    return warning('configuration', message, fix);
  });
}

// Configuration faults include their fix in the sentence.
function split(fault: string): [message: string, fix?: string] {
  const [message = '', fix] = fault.split(' Fix: ');
  return fix === undefined ? [message] : [message.replace(/\.$/, ''), fix.replace(/\.$/, '')];
}

function report(findings: readonly Finding[], failures: number, ui: Ui): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, fix } of findings) {
    ui.line(`${MARKS[status]} ${check.padEnd(width)}  ${message}`);
    if (fix !== undefined) ui.line(`${' '.repeat(width + 4)}Fix: ${fix}`);
  }
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  ui.line();
  if (failures > 0) ui.error(`${count(failures, 'failure')}, ${count(warnings, 'warning')}.`);
  else ui.success(warnings === 0 ? 'Everything is well.' : `Works, with ${count(warnings, 'warning')}.`);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
