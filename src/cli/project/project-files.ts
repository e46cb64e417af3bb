import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder, readManifest } from '../../core/manifest.js';
import { readStub } from '../stubs.js';
import type { ProjectChoices } from './init-choices.js';

/** One file of a new project. */
export interface ProjectFile {
  /** Path in the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly mode?: number;
  /** Never overwritten, even with `--force`: its secrets exist nowhere else. */
  readonly isPrecious?: boolean;
}

const OWNER_ONLY = 0o600;

/** Files that npm would leave out of a tarball or rename, or that lie deep. */
const STORED_AS: Readonly<Record<string, string>> = {
  '.env.example': 'env.example',
  '.gitignore': 'gitignore',
  '.dockerignore': 'dockerignore',
  '.agents/skills/portalkit/SKILL.md': 'skill.md',
  '.claude/skills/portalkit/SKILL.md': 'skill-pointer.md',
};

const PLAIN = [
  'portal.config.ts',
  '.env.example',
  'package.json',
  'tsconfig.json',
  'content/guides/getting-started.md',
  'src/auth-flow.ts',
  'src/routes.ts',
  'test/auth-flow.test.js',
  'test/portal.test.js',
  '.gitignore',
  '.dockerignore',
  'Dockerfile',
  'README.md',
  'AGENTS.md',
  'CLAUDE.md',
  '.agents/skills/portalkit/SKILL.md',
  '.claude/skills/portalkit/SKILL.md',
];

/**
 * All files that `portal init` writes.
 * @param name of the project, valid for npm
 * @param dependency version of portalkit in `package.json`
 */
export async function projectFiles(name: string, choices: ProjectChoices, dependency: string): Promise<ProjectFile[]> {
  const values = {
    name,
    dependency,
    title: choices.title ?? titleOf(name),
    look: lookLines(choices),
    gateway: choices.gateway,
    sessions: choices.sessions,
    appKey: `base64:${randomBytes(32).toString('base64')}`,
    jwtSecret: randomBytes(48).toString('base64url'),
    backends: backendSettings(choices),
    ...moduleLines(choices),
    copyVendor: vendorLine(dependency),
    // For portal docs:build; the version that this release was tested with.
    redocly: readManifest().devDependencies['@redocly/cli'] ?? '*',
  };
  const plain = PLAIN.map(async (path) => ({
    path,
    text: await readStub(`project/${STORED_AS[path] ?? path}`, values),
  }));
  const secrets = { path: '.env', text: await readStub('project/env', values), mode: OWNER_ONLY, isPrecious: true };
  return [...(await Promise.all(plain)), secrets, ...(await migrationFiles())];
}

/** The sources of the package's migrations, with imports rewritten for a host project. */
export async function migrationFiles(): Promise<ProjectFile[]> {
  const folder = join(packageFolder(), 'src', 'database', 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(folder, name), 'utf8');
      return {
        path: `migrations/${name}`,
        text: source.replace(/ from '\.\.\/migration\.js';/g, " from 'portalkit';"),
      };
    }),
  );
}

/** The module lines of portal.config.ts; empty without modules. */
function moduleLines({ modules }: ProjectChoices): { readonly moduleImports: string; readonly modules: string } {
  if (modules.length === 0) return { moduleImports: '', modules: '' };
  const imports = modules.map((name) => `import { ${name} } from 'portalkit/${name}';\n`);
  const note = '  // Optional capabilities; each has a section of settings under its name.';
  return { moduleImports: imports.join(''), modules: `\n${note}\n  modules: [${modules.join(', ')}],\n` };
}

/** The `theme` section of portal.config.ts; empty where all is as usual. */
function lookLines({ preset, color }: ProjectChoices): string {
  const lines = [
    ...(preset === 'clear' ? [] : [`    preset: '${preset}',`]),
    ...(color === undefined ? [] : [`    brandColor: '${color}',`]),
  ];
  return lines.length === 0 ? '' : ['\n  theme: {', ...lines, '  },'].join('\n');
}

function backendSettings({ database, driver, sessions }: ProjectChoices): string {
  const lines = [
    database === 'sqlite'
      ? '# A file of this project, or mysql://user:password@host:3306/name.\nDATABASE_URL=sqlite:storage/portal.sqlite'
      : '# The database must exist: CREATE DATABASE portal CHARACTER SET utf8mb4.\nDATABASE_URL=mysql://portal@127.0.0.1:3306/portal',
    ...(sessions === 'redis' ? ['REDIS_URL=redis://127.0.0.1:6379'] : []),
    driver?.env ?? '# What API proxies on other machines must send as X-Portal-Verify-Secret.\nVERIFY_SECRET=',
  ];
  return lines.join('\n\n');
}

/** The Dockerfile line that copies a vendored portalkit. */
export function vendorLine(dependency: string): string {
  return dependency.startsWith('file:vendor/') ? 'COPY vendor ./vendor\n' : '';
}

/** `acme-bank` → `Acme Bank Developer Portal`. */
export function titleOf(name: string): string {
  const words = name.split(/[-._~]+/).filter((word) => word !== '');
  const title = words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join(' ');
  return /portal/i.test(title) ? title : `${title} Developer Portal`;
}

/** A folder name as an npm name; a project must not be named like the package it depends on. */
export function projectName(folder: string, packageName: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[-._]+|(?<![-.])[-.]+$/g, '');
  if (name === '') return 'developer-portal';
  return name === packageName ? `${name}-project` : name;
}
