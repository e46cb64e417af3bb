import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import {
  askChoices,
  DATABASES,
  GATEWAYS,
  LOOKS,
  modulesOf,
  SESSION_STORES,
  type ProjectChoices,
} from '../project/init-choices.js';
import { installDependencies, prepareDatabase } from '../project/install.js';
import { dependencyOn, findPackageSource, type Dependency } from '../project/package-source.js';
import { projectFiles, projectName, titleOf } from '../project/project-files.js';
import { listNextSteps, showReport } from '../project/init-report.js';
import { prepareFolder, writeProject, type WriteReport } from '../project/write-project.js';
import { publishTemplates, reportBelow } from '../project/publish-templates.js';
import { listShippedTemplates } from '../project/shipped-templates.js';
import type { Ui } from '../ui.js';

export const init = defineCommand({
  name: 'init',
  summary: 'create a host project',
  description:
    'Creates a host project: configuration, secrets, migrations, a login flow and a route of your own, a test, and the ' +
    'dependency on portalkit, which it installs; with SQLite it makes tables and roles, too. In a folder that holds something already, only what is missing is ' +
    'written. --force also replaces files that came from init and differ by now, but never .env.',
  example: [
    'npx portalkit init acme',
    'portal init acme --database mysql --with mfa,oidc --yes',
    'portal init acme --from ../old/portal',
  ],
  arguments: { dir: { description: 'folder of the project; the current one by default', optional: true } },
  options: {
    name: { type: 'text', placeholder: 'name', description: 'what the portal is called' },
    preset: { type: 'choice', choices: LOOKS, description: 'look of the pages' },
    color: { type: 'text', placeholder: '#rrggbb', description: 'colour of buttons, links and marks' },
    database: { type: 'choice', choices: DATABASES, description: 'where the data lives' },
    gateway: { type: 'choice', choices: GATEWAYS, description: 'who issues and checks API keys' },
    sessions: { type: 'choice', choices: SESSION_STORES, description: 'where web sessions live' },
    with: {
      type: 'list',
      placeholder: 'modules',
      description: 'modules to install, separated by commas: mfa (second factors), oidc (identity providers)',
    },
    from: {
      type: 'text',
      placeholder: 'folder',
      description: 'begin with the records of an export, which becomes the folder portal/ of the project',
    },
    theme: { type: 'flag', description: 'copy all views into theme/ at once, to change them' },
    install: { type: 'flag', default: true, description: 'do not run npm install' },
    link: { type: 'flag', description: 'depend on the folder that portal runs from, for work on portalkit itself' },
    yes: { type: 'flag', description: 'ask nothing, take the defaults' },
    force: { type: 'flag', description: 'replace files that differ' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const { packageFolder, readManifest } = await import('../../core/manifest.js');
    const home = packageFolder();
    const manifest = readManifest();
    const folder = resolve(cwd, args.dir ?? '.');
    refuseOwnFolder(folder, manifest.name);
    await prepareFolder(folder);
    const name = projectName(basename(folder), manifest.name);
    const records = options.from === undefined ? [] : await recordsIn(resolve(cwd, options.from), options.from);
    const { with: modules, name: title, ...given } = options;
    const choices = await askChoices(ui, { ...given, title, modules: modulesOf(modules) }, options.yes, titleOf(name));
    const dependency = dependencyOn(await findPackageSource(home, manifest), home, manifest, options.link);
    const report = await write(folder, { name, choices, dependency, force: options.force }, ui);
    if (options.from !== undefined)
      addTo(report, await copyRecords(resolve(cwd, options.from), folder, records, options.force));
    if (options.theme) addTo(report, await publishTheme(folder, options.force));
    const installed = options.install && (await installDependencies(folder, ui));
    const isNew = report.written.includes('.env') && choices.database === 'sqlite' && choices.driver === undefined;
    const prepared = installed && isNew && (await prepareDatabase(folder, ui));
    const next = listNextSteps({
      folder: pickShortest(relative(cwd, folder), folder),
      choices,
      report,
      installed,
      prepared,
      hasRecords: records.length > 0,
    });
    if (json) return ui.json({ directory: folder, ...report, installed, next });
    showReport(report, ui, ['migrations/', 'theme/', 'portal/']);
    ui.line();
    ui.success(`${name} is ready in ${folder}`);
    ui.line('Next:');
    for (const step of next) ui.line(`  ${step}`);
  },
});

/** What an export writes; anything else beside it may hold a secret. */
const RECORD = /\.(?:ya?ml|json|md|graphql|png|jpe?g|webp|gif)$/i;

/** @returns relative paths. @throws CommandFailedError where no export is */
async function recordsIn(from: string, name: string): Promise<string[]> {
  const found = await readdir(from, { recursive: true }).catch(() => []);
  const records = found.filter(
    (path) => RECORD.test(path) && !path.split(/[\\/]/).some((part) => part.startsWith('.')),
  );
  if (records.some((path) => /\.ya?ml$/i.test(path))) return records.sort();
  throw new CommandFailedError(`There are no records in ${name}.`, 'portal export writes those of a portal');
}

async function copyRecords(
  from: string,
  folder: string,
  records: readonly string[],
  force: boolean,
): Promise<WriteReport> {
  const report: WriteReport = { written: [], overwritten: [], kept: [], skipped: [] };
  for (const record of records) {
    const path = join('portal', record);
    const isThere = existsSync(join(folder, path));
    report[isThere ? (force ? 'overwritten' : 'kept') : 'written'].push(path);
    if (isThere && !force) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(from, record), join(folder, path));
  }
  return report;
}

// The default `theme.viewsDir`; existing projects with another one use `portal theme:publish`.
async function publishTheme(folder: string, force: boolean): Promise<WriteReport> {
  return reportBelow('theme', await publishTemplates(join(folder, 'theme'), await listShippedTemplates(), force));
}

function addTo(report: WriteReport, more: WriteReport): void {
  for (const outcome of Object.keys(more) as (keyof WriteReport)[]) report[outcome].push(...more[outcome]);
}

function pickShortest(...paths: string[]): string {
  return paths.reduce((best, path) => (path.length < best.length ? path : best));
}

// The package's own package.json would be kept, and the project's files would become part of the package.
function refuseOwnFolder(folder: string, packageName: string): void {
  if (nameOf(join(folder, 'package.json')) !== packageName) return;
  throw new CommandFailedError(`${folder} is portalkit itself.`, 'name a folder for the project: portal init acme');
}

function nameOf(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

interface Plan {
  readonly name: string;
  readonly choices: ProjectChoices;
  readonly dependency: Dependency;
  readonly force: boolean;
}

async function write(folder: string, { name, choices, dependency, force }: Plan, ui: Ui): Promise<WriteReport> {
  const report = await writeProject(folder, await projectFiles(name, choices, dependency.spec), force);
  const { tarball, place } = dependency;
  if (tarball === undefined || place === undefined) return report;
  // A lockfile pins the tarball's hash: a new one of the same name would fail to install.
  if (existsSync(join(folder, tarball))) report.kept.push(tarball);
  else {
    await ui.progress('Packing portalkit', () => place(folder));
    report.written.push(tarball);
  }
  return report;
}
