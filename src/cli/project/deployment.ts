import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { projectName, titleOf, vendorLine, type ProjectFile } from './project-files.js';
import { readStub } from '../stubs.js';
import { helmChart } from './helm-chart.js';

const OWNER_ONLY = 0o600;
const LONGEST_LABEL = 50;

/** Path in the project → stub below `stubs/`. */
const IMAGE = {
  Dockerfile: 'project/Dockerfile',
  '.dockerignore': 'project/dockerignore',
  'deploy/.gitignore': 'deploy/docker/gitignore',
};
const COMPOSE = { 'compose.yaml': 'deploy/docker/compose.yaml', 'deploy/nginx.conf': 'deploy/docker/nginx.conf' };
const SECRETS = {
  'deploy/portal.env': 'deploy/docker/portal.env',
  'deploy/database.env': 'deploy/docker/database.env',
  'deploy/redis.env': 'deploy/docker/redis.env',
};
const MANIFESTS = [
  'kustomization.yaml',
  'configmap.yaml',
  'secret.example.yaml',
  'migrate.yaml',
  'deployment.yaml',
  'service.yaml',
  'ingress.yaml',
  'pod-disruption-budget.yaml',
  'horizontal-pod-autoscaler.yaml',
  'network-policy.yaml',
];

/** An image, and a compose file with MariaDB, Redis and nginx around two replicas. The secrets are newly generated. */
export async function dockerFiles(cwd: string): Promise<ProjectFile[]> {
  const values = { ...(await readProjectValues(cwd)), ...newSecrets() };
  const plain = await fillIn({ ...IMAGE, ...COMPOSE }, values);
  const secret = await fillIn(SECRETS, values);
  return [...plain, ...secret.map((file) => ({ ...file, mode: OWNER_ONLY, isPrecious: true }))];
}

/** The image and plain manifests to run it. */
export async function kubernetesFiles(cwd: string): Promise<ProjectFile[]> {
  const values = await readProjectValues(cwd);
  return [...(await fillIn(IMAGE, values)), ...(await manifests(values))];
}

/** The image and the same manifests as a Helm chart. */
export async function helmFiles(cwd: string): Promise<ProjectFile[]> {
  const values = await readProjectValues(cwd);
  return [...(await fillIn(IMAGE, values)), ...helmChart(await manifests(values), values)];
}

/** Units of systemd for one machine: the portal, and a nightly backup. The secrets are newly generated. */
export async function systemdFiles(cwd: string): Promise<ProjectFile[]> {
  const values = { ...(await readProjectValues(cwd)), ...newSecrets() };
  const unit = (name: string) => `deploy/systemd/${values.slug}${name}`;
  const units = {
    [unit('.service')]: 'deploy/systemd/portal.service',
    [unit('-backup.service')]: 'deploy/systemd/backup.service',
    [unit('-backup.timer')]: 'deploy/systemd/backup.timer',
    'deploy/.gitignore': 'deploy/docker/gitignore',
  };
  const secret = await fillIn({ 'deploy/systemd/portal.env': 'deploy/systemd/portal.env' }, values);
  return [...(await fillIn(units, values)), ...secret.map((file) => ({ ...file, mode: OWNER_ONLY, isPrecious: true }))];
}

/** The image, and what a host of containers reads; it asks for the secrets itself. */
export async function flyFiles(cwd: string): Promise<ProjectFile[]> {
  return fillIn({ ...IMAGE, 'fly.toml': 'deploy/fly/fly.toml' }, await readProjectValues(cwd));
}

export async function renderFiles(cwd: string): Promise<ProjectFile[]> {
  return fillIn({ ...IMAGE, 'render.yaml': 'deploy/render/render.yaml' }, await readProjectValues(cwd));
}

/** The image, and how Railway builds and runs it. Its variables, with new secrets, are pasted into its editor. */
export async function railwayFiles(cwd: string): Promise<ProjectFile[]> {
  const values = { ...(await readProjectValues(cwd)), ...newSecrets() };
  const secret = await fillIn({ 'deploy/railway.env': 'deploy/railway/portal.env' }, values);
  return [
    ...(await fillIn({ ...IMAGE, 'railway.json': 'deploy/railway/railway.json' }, values)),
    ...secret.map((file) => ({ ...file, mode: OWNER_ONLY, isPrecious: true })),
  ];
}

/** A container to develop in, for editors and code hosts that know the format. */
export async function devcontainerFiles(cwd: string): Promise<ProjectFile[]> {
  const stubPaths = (name: string) => [`.devcontainer/${name}`, `deploy/devcontainer/${name}`] as const;
  return fillIn(Object.fromEntries(['devcontainer.json', 'prepare.sh'].map(stubPaths)), await readProjectValues(cwd));
}

function manifests(values: Readonly<Record<string, string>>): Promise<ProjectFile[]> {
  const stubPaths = (name: string) => [`deploy/kubernetes/${name}`, `deploy/kubernetes/${name}`] as const;
  return fillIn(Object.fromEntries(MANIFESTS.map(stubPaths)), values);
}

function fillIn(
  stubs: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Promise<ProjectFile[]> {
  return Promise.all(Object.entries(stubs).map(async ([path, stub]) => ({ path, text: await readStub(stub, values) })));
}

/** The values that init used; the project may have been renamed since, and its manifest may lack some. */
async function readProjectValues(cwd: string): Promise<Record<'slug' | 'title' | 'copyVendor', string>> {
  const manifest = await readFile(join(cwd, 'package.json'), 'utf8').catch(() => '{}');
  const { name = basename(cwd), dependencies = {} } = JSON.parse(manifest) as Manifest;
  const known = projectName(name.replace(/^@[^/]*\//, ''), 'portalkit');
  return { slug: labelOf(known), title: titleOf(known), copyVendor: vendorLine(dependencies['portalkit'] ?? '') };
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A name valid for Docker, Kubernetes and DNS. */
function labelOf(name: string): string {
  const letters = name.replace(/[^a-z0-9]+/g, '-').slice(0, LONGEST_LABEL);
  const label = letters.split('-').filter(Boolean).join('-');
  return /^[a-z]/.test(label) ? label : `portal-${label}`;
}

function newSecrets(): Record<string, string> {
  return {
    appKey: `base64:${randomBytes(32).toString('base64')}`,
    jwtSecret: randomBytes(48).toString('base64url'),
    verifySecret: randomBytes(32).toString('base64url'),
    databasePassword: randomBytes(24).toString('base64url'),
    redisPassword: randomBytes(24).toString('base64url'),
  };
}
