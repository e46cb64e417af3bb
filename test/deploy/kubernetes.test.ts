import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { resolveConfig } from '../../src/config/index.js';
import { SECRETS } from '../config/support.js';
import { publishedProject, readManifests, type Manifest } from './support.js';

interface Container {
  name: string;
  image: string;
  command?: string[];
  securityContext: object;
  ports?: { name: string; containerPort: number }[];
  resources: { limits: Record<string, string>; requests: Record<string, string> };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}
interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
}
interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    containers: Container[];
    initContainers?: Container[];
    securityContext: object;
    automountServiceAccountToken: boolean;
    terminationGracePeriodSeconds?: number;
  };
}
interface Any extends Manifest {
  spec: { template: Pod; selector: { matchLabels: object }; podSelector: { matchLabels: object }; replicas?: number };
  data: Record<string, string>;
  stringData: Record<string, string>;
}

/** Where kubernetes-models keeps the models of each API. */
const MODELS: Record<string, string> = {
  v1: 'v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'networking.k8s.io/v1': 'networking.k8s.io/v1',
};
const HARDENED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

let cwd: string;
let all: { file: string; manifest: Any }[];
beforeAll(async () => {
  cwd = await publishedProject('kubernetes');
  all = (await readManifests<Any>(join(cwd, 'deploy/kubernetes'))).filter(
    ({ manifest }) => manifest.kind !== 'Kustomization',
  );
});
const one = (kind: string): Any => {
  const found = all.find(({ manifest }) => manifest.kind === kind);
  if (!found) throw new Error(`there is no ${kind}`);
  return found.manifest;
};
const pods = () => [one('Deployment').spec.template, one('Job').spec.template];

/** By the schemas of the Kubernetes API, which say what is required and which values there are. */
async function faultsBySchema({ apiVersion, kind, ...rest }: Manifest): Promise<string | undefined> {
  const models = (await import(`kubernetes-models/${MODELS[apiVersion]}`)) as Record<
    string,
    new (data: object) => { validate(): void }
  >;
  const Model = models[kind];
  if (!Model) return `${apiVersion} has no ${kind}`;
  try {
    new Model(rest).validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** By the types of the Kubernetes API: a field that no type has is an error, which the schemas let pass. A line each. */
async function faultsByTypes(manifests: readonly Manifest[]): Promise<string[]> {
  const lines = manifests.map(({ apiVersion, kind, ...rest }, index) => {
    const literal = JSON.stringify(rest);
    return `import { ${kind} as K${index} } from 'kubernetes-models/${MODELS[apiVersion]}'; new K${index}(${literal});\n`;
  });
  await writeFile(join(cwd, 'check.ts'), lines.join(''));
  await symlink(join(process.cwd(), 'node_modules'), join(cwd, 'node_modules')).catch(() => undefined);
  const tsc = join(process.cwd(), 'node_modules', 'typescript7', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
  const { stdout } = await execa(process.execPath, [tsc, ...flags, 'check.ts'], { cwd, reject: false });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the manifests of portal publish kubernetes', () => {
  it('are objects of the Kubernetes API by its schemas', async () => {
    expect(all.map(({ manifest }) => manifest.kind).sort()).toEqual(
      ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy']
        .concat(['PodDisruptionBudget', 'Secret', 'Service'])
        .sort(),
    );
    for (const { file, manifest } of all) expect([file, await faultsBySchema(manifest)]).toEqual([file, undefined]);
    const { spec, ...rest } = one('Deployment');
    expect(await faultsBySchema({ ...rest, spec: { ...spec, selector: undefined } } as never)).toMatch(/selector/);
  });

  it('have no field that the API does not know', async () => {
    const manifests = all.map(({ manifest }) => manifest);
    const misspelt = JSON.parse(JSON.stringify(one('Deployment')).replace('readinessProbe', 'redinessProbe')) as Any;
    const found = await faultsByTypes([...manifests, misspelt]);
    expect(found.filter((line) => /^\S/.test(line))).toEqual([
      expect.stringMatching(new RegExp(`^check\\.ts\\(${all.length + 1},.*redinessProbe`)),
    ]);
  });

  it('run as nobody in particular, on a file system that cannot be written', () => {
    for (const { spec } of pods()) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, resources } of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect(securityContext).toEqual(HARDENED);
        expect(resources).toMatchObject({ requests: { memory: '256Mi' }, limits: { memory: '512Mi' } });
      }
    }
  });

  it('probe liveness for restarts and readiness for traffic, and leave time to finish', () => {
    const { containers, terminationGracePeriodSeconds = 0 } = one('Deployment').spec.template.spec;
    const [{ startupProbe, livenessProbe, readinessProbe, ports = [] }] = containers as [Container];
    expect(livenessProbe?.httpGet.path).toBe('/api/v1/health/live');
    expect(readinessProbe?.httpGet.path).toBe('/api/v1/health/ready');
    // database.startWait is a minute, in which the port is closed.
    expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0)).toBeGreaterThan(60);
    const delay = Number(one('ConfigMap').data['SERVER_DRAIN_DELAY']);
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(delay + 25 + 5);
    // A pod is out of the service before it stops accepting.
    const notReadyAfter = (readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0);
    expect(notReadyAfter).toBeLessThanOrEqual(6);
    expect(ports).toEqual([
      { name: 'http', containerPort: 3000 },
      { name: 'metrics', containerPort: Number(one('ConfigMap').data['METRICS_PORT']) },
    ]);
  });

  it('select the pods of the deployment, and not those of the job', () => {
    const labels = one('Deployment').spec.template.metadata.labels;
    const selectors = [
      one('Deployment').spec.selector.matchLabels,
      one('Service').spec.selector,
      one('PodDisruptionBudget').spec.selector.matchLabels,
      one('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    expect(one('Job').spec.template.metadata.labels).not.toMatchObject(labels);
    // Two would fight over the number.
    expect(one('Deployment').spec.replicas).toBeUndefined();
  });

  it('have settings that the portal accepts in production, once the secrets are filled in', () => {
    const settings = { ...one('ConfigMap').data, ...one('Secret').stringData };
    const env = { ...settings, ...SECRETS, APP_ENV: 'production', SERVER_HOST: '0.0.0.0' };
    expect(resolveConfig({ definition: {}, env }).warnings).toEqual([]);
    expect(Object.entries(one('Secret').stringData).filter(([name]) => /KEY|SECRET/.test(name))).toEqual([
      ['APP_KEY', ''],
      ['PORTAL_API_JWT_SECRET', ''],
      ['VERIFY_SECRET', ''],
    ]);
  });

  it('are listed for kustomize, but for the secret and the job, which have their own time', async () => {
    const text = await readFile(join(cwd, 'deploy/kubernetes/kustomization.yaml'), 'utf8');
    const listed = [...text.matchAll(/^ {2}- (\S+\.yaml)$/gm)].map(([, file]) => file);
    const apart = ['migrate.yaml', 'secret.example.yaml'];
    expect(listed.sort()).toEqual(all.map(({ file }) => file).filter((file) => !apart.includes(file)));
  });
});
