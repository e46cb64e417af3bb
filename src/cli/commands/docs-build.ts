import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Artifact, LintProblem, OpenApiDocument } from '../../openapi/index.js';
import type { Portal } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { requireHostProject } from '../host-project.js';
import { withAnyPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

const MOST_SHOWN = 20;

export const docsBuild = defineCommand({
  name: 'docs:build',
  summary: 'write the OpenAPI document, the Postman collection and the reference of the API',
  description:
    'Writes openapi.json, openapi.yaml, postman_collection.json and index.html, all made of the declared routes, those of the ' +
    'project included; the options docs.* say which and of what. Works offline and needs no database. The document is ' +
    'linted first, and any error or warning fails the command. Linter and page are those of @redocly/cli, a development ' +
    'dependency of the project. The same project gives the same bytes, so the files can be committed: --check says ' +
    'whether they are up to date.',
  example: ['portal docs:build', 'portal docs:build --out public/api --client', 'portal docs:build --check'],
  options: {
    out: { type: 'text', placeholder: 'dir', default: 'docs/api', description: 'folder to write into' },
    check: { type: 'flag', description: 'write nothing; fail when a file is missing or stale' },
    client: { type: 'flag', description: 'also client.ts, a typed client for TypeScript; takes openapi-typescript' },
  },
  reports: true,
  async run({ cwd, ui, options, json }) {
    await requireHostProject(cwd);
    const redocly = await requireRedocly(cwd);
    const artifacts = await withAnyPortal({ cwd, ui }, (portal) =>
      ui.progress('Building the documentation', () => build(portal, { cwd, redocly, client: options.client })),
    );
    const folder = resolve(cwd, options.out);
    const files = await compare(artifacts, folder);
    if (options.check) return check(files, options.out, ui, json);
    await mkdir(folder, { recursive: true });
    for (const { name, content } of artifacts) await writeFile(join(folder, name), content);
    if (json) return ui.json({ folder, files: files.map(({ name, state }) => ({ name, state: WRITTEN[state] })) });
    ui.table([
      ['FILE', 'STATE'],
      ...files.map(({ name, state }) => [join(relative(cwd, folder), name), WRITTEN[state]]),
    ]);
  },
});

type FileState = 'current' | 'stale' | 'missing';

interface ComparedFile {
  readonly name: string;
  readonly state: FileState;
}

const WRITTEN: Readonly<Record<FileState, string>> = { current: 'unchanged', stale: 'updated', missing: 'created' };

/** Before any work, and whatever is asked for: no file may be written of a document that nobody linted. */
async function requireRedocly(cwd: string): Promise<string> {
  const { findRedocly, readTestedRedocly } = await import('../../openapi/index.js');
  const program = findRedocly(cwd);
  if (program !== undefined) return program;
  throw new CommandFailedError(
    `@redocly/cli ${readTestedRedocly().split('.')[0]}, which lints the document and writes the page to read, is not ` +
      'installed in this project: running portals do not need it, so portalkit does not bring it.',
    `run npm install --save-dev @redocly/cli@${readTestedRedocly()} in it, once`,
  );
}

interface Job {
  readonly cwd: string;
  /** Redocly's program. */
  readonly redocly: string;
  readonly client: boolean;
}

async function build({ config, routes }: Portal, { cwd, redocly, client }: Job): Promise<Artifact[]> {
  const { buildArtifacts, describeConfigured, documentAsJson, lintDocument } = await import('../../openapi/index.js');
  const document = describeConfigured(routes, config);
  refuseProblems(await lintDocument(documentAsJson(document), redocly));
  return [...(await buildArtifacts(document, config, redocly)), ...(client ? [await clientOf(document, cwd)] : [])];
}

function refuseProblems(problems: readonly LintProblem[]): void {
  if (problems.length === 0) return;
  const lines = problems
    .slice(0, MOST_SHOWN)
    .map(({ severity, rule, place, message }) => `${severity} ${rule} at ${place}: ${message}`);
  const rest = problems.length > MOST_SHOWN ? [`… and ${problems.length - MOST_SHOWN} more.`] : [];
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new CommandFailedError(
    [`The OpenAPI document has ${count}:`, ...lines, ...rest].join('\n'),
    'mend the declarations of the routes that are named',
  );
}

async function clientOf(document: OpenApiDocument, cwd: string): Promise<Artifact> {
  const { buildClient, loadFrom } = await import('../../openapi/index.js');
  const generator = await loadFrom(cwd, 'openapi-typescript');
  if (generator === undefined) {
    throw new CommandFailedError(
      'The typed client takes the package openapi-typescript, which this project does not have.',
      'run npm install --save-dev openapi-typescript@7 typescript',
    );
  }
  return { name: 'client.ts', content: await buildClient(document, generator as never) };
}

async function compare(artifacts: readonly Artifact[], folder: string): Promise<ComparedFile[]> {
  return Promise.all(
    artifacts.map(async ({ name, content }) => {
      const present = await readFile(join(folder, name), 'utf8').catch(() => undefined);
      if (present === undefined) return { name, state: 'missing' };
      return { name, state: present === content ? 'current' : 'stale' };
    }),
  );
}

function check(files: readonly ComparedFile[], out: string, ui: Ui, json: boolean): number {
  const isCurrent = files.every(({ state }) => state === 'current');
  if (json) ui.json({ current: isCurrent, files });
  else ui.table([['FILE', 'STATE'], ...files.map(({ name, state }) => [join(out, name), state])]);
  if (isCurrent) return EXIT.ok;
  ui.error('The documentation is not up to date.');
  ui.note('Fix: run portal docs:build with the same options, and commit what it writes.');
  return EXIT.failed;
}
