// A software bill of materials (CycloneDX 1.6, JSON) of what ships, what is bundled included, from the lockfile alone: the same
// lockfile gives the same bytes. `npm sbom --omit dev` leaves out what development needs too, which would be express, yaml and commander.
// Usage: npm run --silent sbom > sbom.cdx.json
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BUNDLED, find, isShipped, nameOf, packages } from './shipped.mjs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

const shipped = Object.entries(packages).filter(([path]) => path !== '' && isShipped(path));
const components = new Map(shipped.map(([path, entry]) => [refOf(path, entry), componentOf(path, entry)]));
const root = `${manifest.name}@${manifest.version}`;
const dependencies = new Map([[root, new Set([...dependenciesOf('', packages['']), ...found('', BUNDLED)])]]);
for (const [path, entry] of shipped) {
  const ref = refOf(path, entry);
  dependencies.set(ref, new Set([...(dependencies.get(ref) ?? []), ...dependenciesOf(path, entry)]));
}

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    lifecycles: [{ phase: 'pre-build' }],
    component: {
      'bom-ref': root,
      type: 'library',
      name: manifest.name,
      version: manifest.version,
      description: manifest.description,
      licenses: licensesOf(manifest.license),
      purl: purlOf(manifest.name, manifest.version),
    },
  },
  components: [...components].sort(byFirst).map(([, component]) => component),
  dependencies: [...dependencies].sort(byFirst).map(([ref, on]) => ({ ref, dependsOn: [...on].sort() })),
};
const { $schema, bomFormat, specVersion, ...rest } = bom;
console.log(
  JSON.stringify({ $schema, bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(bom)}`, ...rest }, null, 2),
);

function refOf(path, { version }) {
  return `${nameOf(path)}@${version}`;
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

function componentOf(path, entry) {
  const [algorithm, digest] = (entry.integrity ?? '').split(/-(.*)/s);
  const content = Buffer.from(digest ?? '', 'base64').toString('hex');
  return {
    'bom-ref': refOf(path, entry),
    type: 'library',
    name: nameOf(path),
    version: entry.version,
    scope: entry.optional || entry.devOptional ? 'optional' : 'required',
    ...(content === '' ? {} : { hashes: [{ alg: algorithm.replace(/^sha/, 'SHA-'), content }] }),
    ...(entry.license === undefined ? {} : { licenses: licensesOf(entry.license) }),
    purl: purlOf(nameOf(path), entry.version),
  };
}

function licensesOf(license) {
  if (/^[\w.+-]+$/.test(license)) return [{ license: license === 'UNLICENSED' ? { name: license } : { id: license } }];
  return /^[\w.+ ()-]+$/.test(license) && / (AND|OR|WITH) /.test(license)
    ? [{ expression: license }]
    : [{ license: { name: license } }];
}

function dependenciesOf(path, entry) {
  const wanted = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  return new Set(found(path, Object.keys(wanted)));
}

function found(path, names) {
  return names.flatMap((name) => {
    const at = find(path, name);
    return at !== undefined && isShipped(at) ? [refOf(at, packages[at])] : [];
  });
}

// Of the content, so that equal documents have equal numbers.
function uuidOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function byFirst([a], [b]) {
  return a < b ? -1 : 1;
}
