import type { ProjectFile } from './project-files.js';

/** Of the manifests: what differs between installations, and the value of the chart that says it. */
const VALUES: readonly (readonly [text: RegExp, value: string])[] = [
  [/registry\.example\.com\/\S+/g, '{{ .Values.image }}'],
  [/developers\.example\.com/g, '{{ .Values.host }}'],
  [/(?<=ingressClassName: )nginx/g, '{{ .Values.ingressClass }}'],
  [/(?<=minReplicas: )2/g, '{{ .Values.replicas.min }}'],
  [/(?<=maxReplicas: )6/g, '{{ .Values.replicas.max }}'],
];
/** The settings, and the job that needs them, come before everything else of a release. */
const EARLY: Readonly<Record<string, number>> = { 'configmap.yaml': -10, 'migrate.yaml': -5 };
/** Made by hand or by a vault; the list is for kustomize. */
const NO_TEMPLATE = ['secret.example.yaml', 'kustomization.yaml'];
/** `data:` of the ConfigMap after the address, which comes from the host. */
const SETTINGS = /(?<=\n {2}APP_URL: \S+\n)[^]*$/;

/**
 * A chart of the same manifests, so that the two cannot say different things.
 * @param manifests as `portal publish kubernetes` writes them
 */
export function helmChart(manifests: readonly ProjectFile[], { slug, title }: Readonly<Record<string, string>>) {
  const named = manifests.map((file) => ({ name: file.path.slice(file.path.lastIndexOf('/') + 1), text: file.text }));
  const templates = named
    .filter(({ name }) => !NO_TEMPLATE.includes(name))
    .map(({ name, text }) => templateOf(name, text));
  const settings = named.find(({ name }) => name === 'configmap.yaml')?.text.match(SETTINGS)?.[0] ?? '';
  const secret = named.find(({ name }) => name === 'secret.example.yaml')?.text ?? '';
  const chart = {
    'Chart.yaml': chartOf(slug, title),
    'values.yaml': valuesOf(slug, settings),
    'secret.example.yaml': secret,
  };
  const files = [...Object.entries(chart).map(([name, text]) => ({ name, text })), ...templates];
  return files.map(({ name, text }): ProjectFile => ({ path: `deploy/helm/${name}`, text }));
}

function templateOf(name: string, manifest: string) {
  const settings = manifest.replace(SETTINGS, '  {{- toYaml .Values.settings | nindent 2 }}\n');
  const whole = name === 'configmap.yaml' ? settings : manifest;
  const text = VALUES.reduce((result, [pattern, value]) => result.replaceAll(pattern, value), whole);
  const weight = EARLY[name];
  return {
    name: `templates/${name}`,
    text: weight === undefined ? text : text.replace(/^(metadata:\n)/m, `$1${hook(weight)}`),
  };
}

function hook(weight: number): string {
  return (
    '  annotations:\n' +
    '    helm.sh/hook: pre-install,pre-upgrade\n' +
    `    helm.sh/hook-weight: '${weight}'\n` +
    '    helm.sh/hook-delete-policy: before-hook-creation\n'
  );
}

function chartOf(slug = '', title = ''): string {
  return `# The manifests of "portal publish kubernetes" as a chart. One release in a namespace, whose Secret is there first:
#
#   kubectl apply --filename secret.yaml   # made from secret.example.yaml, or by your vault
#   helm upgrade --install ${slug} deploy/helm --set host=developers.example.com --set image=registry.example.com/${slug}:0.1.0
apiVersion: v2
name: ${slug}
description: ${JSON.stringify(title)}
type: application
version: 0.1.0
`;
}

function valuesOf(slug = '', settings = ''): string {
  return `host: developers.example.com
# A version or a digest, never latest: the pods of one rollout must be the same.
image: registry.example.com/${slug}:0.1.0
ingressClass: nginx
replicas:
  min: 2
  max: 6
# Settings that are no secret; "npx portal config:show" lists the names.
settings:
${settings}`;
}
