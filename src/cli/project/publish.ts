import { resolve } from 'node:path';
import type { AnyOption, OptionSection } from '../../core/index.js';
import { readManifest } from '../../core/manifest.js';
import { shippedDrivers } from '../../shipped-drivers.js';
import { UsageError } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import type { Ui } from '../ui.js';
import * as deployment from './deployment.js';
import { showReport } from './init-report.js';
import { migrationFiles, type ProjectFile } from './project-files.js';
import { publishTemplates, reportBelow } from './publish-templates.js';
import { selectByPath, listShippedTemplates } from './shipped-templates.js';
import { writeProject, type WriteReport } from './write-project.js';

/** Every setting, commented out, with its meaning, environment name and default: to copy from, never loaded. */
async function configReference(): Promise<string> {
  const [{ environmentName, formatValue, optionsWith }, { isOption }, drivers] = await Promise.all([
    import('../../config/index.js'),
    import('../../core/index.js'),
    shippedDrivers(),
  ]);
  const section = (tree: OptionSection, path: string, indent: string): string[] =>
    Object.entries(tree).flatMap(([name, node]) => {
      const own = path === '' ? name : `${path}.${name}`;
      if (!isOption(node)) return [`${indent}${name}: {`, ...section(node, own, `${indent}  `), `${indent}},`];
      if (node.secret === true) return [`${indent}// ${node.description} Secret: set ${environmentName(own)}.`];
      const note = `${indent}// ${node.description} ${environmentName(own)}${node.derived ? `; ${stripCode(node.derived)}` : ''}`;
      return [note, `${indent}// ${name}: ${literal(node, formatValue(node, node.default))},`];
    });
  return [
    `// Every setting of portalkit ${readManifest().version} with its default. This file is for reading: the portal loads`,
    '// portal.config.ts alone. Secrets belong into the environment or .env, which win over any file.',
    "import { defineConfig } from 'portalkit';",
    '',
    'export default defineConfig({',
    ...section(optionsWith(drivers), '', '  '),
    '});',
    '',
  ].join('\n');
}

function stripCode(text: string): string {
  return text.replaceAll('`', '');
}

// Durations and sizes as people write them.
function literal({ kind, default: value }: AnyOption, written: string): string {
  return written !== '' && (kind === 'duration' || kind === 'bytes') ? quote(written) : quote(value);
}

function quote(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(quote).join(', ')}]`;
  return JSON.stringify(value);
}

export const TARGETS = [
  ...(['theme', 'config', 'migrations', 'lang'] as const),
  ...(['docker', 'kubernetes', 'helm', 'systemd', 'fly', 'render', 'railway', 'devcontainer'] as const),
] as const;
export type Target = (typeof TARGETS)[number];

/** The flags that `publish` and `theme:publish` share. */
export const PUBLISH_OPTIONS = {
  only: { type: 'list', placeholder: 'path', description: 'only these files, or folders with what is below' },
  force: { type: 'flag', description: 'replace files that differ' },
} as const;

interface Request {
  readonly cwd: string;
  readonly ui: Ui;
  readonly only: readonly string[] | undefined;
  readonly force: boolean;
}

/** Copies files of the package into the project, lists what happened, and explains it. */
export async function publishFiles(target: Target, request: Request): Promise<void> {
  const { cwd, ui } = request;
  await requireHostProject(cwd);
  const report = await WAYS[target](request);
  if (ui.isJson) return ui.json(report);
  showReport(report, ui);
  ui.line();
  const count = report.written.length + report.overwritten.length;
  ui.success(count === 0 ? 'Nothing to write.' : `${count} ${count === 1 ? 'file' : 'files'} written.`);
  ui.line(MEANING[target]);
  const { length: kept } = report.kept;
  if (kept > 0) ui.note(`${kept} differ and were kept; --force replaces them.`);
}

const WAYS: Readonly<Record<Target, (request: Request) => Promise<WriteReport>>> = {
  theme: (request) => publishFrom(request, ''),
  lang: (request) => publishFrom(request, 'lang/'),
  config: async ({ cwd, only, force }) => {
    if (only !== undefined) throw new UsageError('publish config writes one file; --only has nothing to choose.');
    return writeProject(cwd, [{ path: 'portal.config.reference.ts', text: await configReference() }], force);
  },
  migrations: async ({ cwd, only, force }) => {
    return writeProject(cwd, await selectByPath(await migrationFiles(), only, '.'), force);
  },
  docker: (request) => writeDeployment(request, deployment.dockerFiles),
  kubernetes: (request) => writeDeployment(request, deployment.kubernetesFiles),
  helm: (request) => writeDeployment(request, deployment.helmFiles),
  systemd: (request) => writeDeployment(request, deployment.systemdFiles),
  fly: (request) => writeDeployment(request, deployment.flyFiles),
  render: (request) => writeDeployment(request, deployment.renderFiles),
  railway: (request) => writeDeployment(request, deployment.railwayFiles),
  devcontainer: (request) => writeDeployment(request, deployment.devcontainerFiles),
};

async function writeDeployment(
  { cwd, only, force }: Request,
  filesFor: (cwd: string) => Promise<ProjectFile[]>,
): Promise<WriteReport> {
  return writeProject(cwd, await selectByPath(await filesFor(cwd), only, '.'), force);
}

const MEANING: Readonly<Record<Target, string>> = {
  theme: 'These files now win over the package’s. Delete what you do not change: it then follows every upgrade.',
  lang: 'These words now win over the package’s. Keep the keys that you change and delete the others.',
  config: 'It is for reading: copy what you need into portal.config.ts.',
  migrations: 'A migration here replaces the package’s of the same name. Databases on which it ran stay as they are.',
  docker:
    'They are yours. Set APP_URL and mail in deploy/portal.env, put a certificate into deploy/tls; compose.yaml says how.',
  kubernetes:
    'They are yours. Set image, host and secrets; deploy/kubernetes/kustomization.yaml says how to apply them.',
  helm: 'They are yours. The values are in deploy/helm/values.yaml; deploy/helm/Chart.yaml says how to install it.',
  systemd: 'They are yours. Set APP_URL and mail in deploy/systemd/portal.env; the unit says how to install it.',
  fly: 'They are yours. fly.toml says which secrets to set before the first deploy.',
  render: 'They are yours. Make a Blueprint of the repository; Render asks for the values that are not in the file.',
  railway:
    'They are yours. Set APP_URL and mail in deploy/railway.env, and paste it into the variables of the service.',
  devcontainer: 'They are yours. Open the folder in a container; what it prepares is in .devcontainer/prepare.sh.',
};

async function publishFrom({ cwd, only, force }: Request, prefix: string): Promise<WriteReport> {
  const { folder, viewsDir } = await viewsFolder(cwd);
  const views = (await listShippedTemplates()).filter(({ path }) => path.startsWith(prefix));
  return reportBelow(viewsDir, await publishTemplates(folder, await selectByPath(views, only, viewsDir), force));
}

/** Where the project keeps its views. @throws ConfigurationError */
export async function viewsFolder(cwd: string): Promise<{ folder: string; viewsDir: string }> {
  const { loadConfig } = await import('../../config/index.js');
  const { config, root } = await loadConfig({ cwd });
  const viewsDir = config.theme.viewsDir.replace(/(?<!\/)\/+$/, '');
  return { folder: resolve(root, viewsDir), viewsDir };
}
