// The portal as code with many products: export, apply onto an empty portal, export again, apply again.
//
//   node bench/as-code.mjs [products, 2000] [sqlite|mysql]
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

process.env.NODE_ENV = 'test';
const [count = '2000', dialect = 'sqlite'] = process.argv.slice(2);
const base = new URL('../dist-test/', import.meta.url);
const [{ startTestPortal }, code, { runAsOperator }] = await Promise.all([
  import(new URL('test/support/test-portal.js', base)),
  import(new URL('src/as-code/index.js', base)),
  import(new URL('src/core/index.js', base)),
]);
const { carryOut, exportTo, kinds, OperatorPort, planChanges, PresentRecords, readFolder } = code;

const root = await mkdtemp(join(tmpdir(), 'bench-as-code-'));
const open = () => startTestPortal({ dialect, replicas: 1 });
const port = ({ portal }) => new OperatorPort(portal.services, portal.operatorParts);
const digits = (number) => String(number).padStart(4, '0');

async function fill({ portal }) {
  const { catalog } = portal.services;
  for (let at = 0; at < 20; at += 1)
    await catalog.categories.create({ slug: `category-${at}`, name: `Category ${at}` });
  for (let at = 0; at < Number(count); at += 1) {
    const slug = `api-${digits(at)}`;
    const paths = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [
        `/things/${at}/${n}`,
        { get: { operationId: `get${n}`, responses: { 200: { description: 'It.' } } } },
      ]),
    );
    await catalog.products.create(
      {
        ...{
          slug,
          name: `API ${at}`,
          shortDescription: `What API ${at} does.`,
          visibility: 'public',
          approval: 'auto',
        },
        ...{ gatewayProductId: slug, tags: [`tag-${at % 7}`], categories: [`category-${at % 20}`] },
      },
      JSON.stringify({ openapi: '3.1.0', info: { title: `API ${at}`, version: '1' }, paths }),
    );
  }
}

async function measure(name, run) {
  const started = performance.now();
  const result = await run();
  const used = Math.round(process.memoryUsage().rss / 1e6);
  process.stdout.write(
    `${name.padEnd(34)} ${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${used} MB resident\n`,
  );
  return result;
}

async function bytesOf(folder) {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = names.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return Promise.all(
    files.map(async (file) => `${file.slice(folder.length)} ${(await readFile(file)).toString('base64')}`),
  );
}

async function apply(test, folder) {
  const wanted = await readFolder({ root: folder, kinds, env: {} });
  const steps = await planChanges(port(test), wanted, new PresentRecords(port(test)));
  await carryOut(port(test), steps);
  return steps.length;
}

await runAsOperator(async () => {
  const [source, target] = [await open(), await open()];
  await fill(source);
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  await measure('export', () => exportTo(port(source), from, kinds));
  await source.stop();
  const made = await measure('apply onto an empty portal', () => apply(target, from));
  await measure('export of that', () => exportTo(port(target), to, kinds));
  const isSame = JSON.stringify(await bytesOf(from)) === JSON.stringify(await bytesOf(to));
  const again = await measure('second apply', () => apply(target, from));
  process.stdout.write(`${made} records, byte for byte the same: ${isSame}, written by the second apply: ${again}\n`);
  process.stdout.write(`most memory: ${Math.round(process.resourceUsage().maxRSS / 1e3)} MB\n`);
  await target.stop();
});
await rm(root, { recursive: true });
