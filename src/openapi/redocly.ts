import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readManifest } from '../core/manifest.js';

/** Linter and renderer, brought by hosts that build documentation: no running portal needs it. */
const PACKAGE = '@redocly/cli';
/** Nothing leaves the machine: no telemetry, no check for updates. */
const SILENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1', CI: 'true' };
const DEADLINE_MS = 120_000;

export interface LintProblem {
  readonly severity: 'error' | 'warn';
  readonly rule: string;
  /** JSON pointer into the document. */
  readonly place: string;
  readonly message: string;
}

interface RedoclyProblem {
  readonly ruleId: string;
  readonly severity: 'error' | 'warn';
  readonly message: string;
  readonly location?: readonly { readonly pointer?: string }[];
}

/**
 * Path of Redocly's program: that of the project, or the copy beside portalkit.
 * @param project folder of the host project
 * @returns undefined if it is not installed, or only in another major version
 */
export function findRedocly(project: string, own: string = import.meta.url): string | undefined {
  for (const from of [join(project, 'package.json'), own]) {
    try {
      const manifest = createRequire(from).resolve(`${PACKAGE}/package.json`);
      const { version = '' } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string };
      if (majorOf(version) === majorOf(readTestedRedocly())) return join(dirname(manifest), 'bin', 'cli.js');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function majorOf(version: string): string | undefined {
  return version.split('.')[0];
}

/** The version that this release was tested with. */
export function readTestedRedocly(): string {
  return readManifest().devDependencies[PACKAGE] ?? '';
}

/**
 * Violations of Redocly's recommended rules, including warnings. Works offline.
 * @param program from {@link findRedocly}
 */
export function lintDocument(json: string, program: string): Promise<LintProblem[]> {
  return runInFolder(json, async (folder) => {
    const options = ['--extends=recommended', '--format=json', '--max-problems=1000'];
    const { stdout, stderr } = await redocly(program, ['lint', 'openapi.json', ...options], folder);
    const report = parseReport(stdout);
    if (report === undefined) throw new Error(`The linter did not run: ${(stderr || stdout).trim()}`);
    return report.map(({ severity, ruleId, message, location: [at] = [] }) => ({
      ...{ severity, rule: ruleId, message },
      place: at?.pointer ?? '#/',
    }));
  });
}

function parseReport(stdout: string): readonly RedoclyProblem[] | undefined {
  try {
    return (JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: readonly RedoclyProblem[] }).problems;
  } catch {
    return undefined;
  }
}

/**
 * The document as one self-contained HTML page. The logo and icons that Redoc would fetch are removed, and the page
 * forbids itself to load anything.
 * @param program from {@link findRedocly}
 */
export function renderReference(json: string, title: string, program: string): Promise<string> {
  return runInFolder(json, async (folder) => {
    const options = ['--inlineBundle', '--openapi.disableTelemetry', `--title=${title}`, '--output=index.html'];
    const { stderr, exitCode } = await redocly(program, ['build-docs', 'openapi.json', ...options], folder);
    if (exitCode !== 0) throw new Error(`The reference was not built: ${stderr.trim()}`);
    return selfContained(await readFile(join(folder, 'index.html'), 'utf8'));
  });
}

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
  "worker-src blob:; base-uri 'none'; form-action 'none'";
const NO_PICTURE = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

function selfContained(html: string): string {
  return html
    .replace(/https:\/\/cdn\.redoc(?:ly\.com|\.ly)\/[\w./@-]+/g, NO_PICTURE)
    .replace(/<head>/i, () => `<head>\n  <meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
}

async function runInFolder<T>(json: string, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-docs-'));
  try {
    await writeFile(join(folder, 'openapi.json'), json);
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// A separate process: the package has no library, and its exit code is part of the result.
async function redocly(program: string, args: readonly string[], cwd: string) {
  const { execa } = await import('execa');
  return execa(process.execPath, [program, ...args], { cwd, env: SILENT, reject: false, timeout: DEADLINE_MS });
}
