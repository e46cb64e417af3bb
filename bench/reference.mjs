/**
 * How long the reference of a large document takes until it can be used, in Chromium, and how long the server's event loop
 * is held up meanwhile. The portal runs in a process of its own, so that nothing but it is measured; each round has a document
 * that it has not seen. Runs on the build of the tests (`npm run bench:reference` makes it). A file may be given instead of
 * the generated document.
 */
import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const ROUNDS = 3;
const TARGETS = { ready: 3_000, p99: 100 };
const BUILD = new URL('../dist-test/test/support/', import.meta.url);
const load = (name) => import(new URL(name, BUILD));

async function serve(file) {
  const [{ startTestPortal }, { createProduct }, { largeDocument }] = await Promise.all(
    ['test-portal.js', 'factories.js', 'documents.js'].map(load),
  );
  const document = file ? JSON.parse(await readFile(file, 'utf8')) : largeDocument();
  const test = await startTestPortal();
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = { ...document, info: { ...document.info, version: String(round) } };
    await createProduct(test, { slug: `round-${round}`, name: `Round ${round}` }, JSON.stringify(own));
  }
  const delay = monitorEventLoopDelay({ resolution: 5 });
  process.on('message', (message) => {
    if (message === 'begin') {
      delay.reset();
      delay.enable();
      process.send('begun');
    } else {
      delay.disable();
      process.send({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 });
    }
  });
  const operations = Object.values(document.paths).flatMap(Object.keys).length;
  process.send({ url: test.client.url, bytes: JSON.stringify(document).length, operations });
}

function ask(child, message) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('the server ended')));
    if (message) child.send(message);
  });
}

async function measure(file) {
  const { startBrowser } = await load('browser.js');
  const child = fork(fileURLToPath(import.meta.url), ['serve', ...(file ? [file] : [])]);
  const { url, bytes, operations } = await ask(child);
  console.log(`${(bytes / 1e6).toFixed(1)} MB, ${operations} operations`);
  const browser = await startBrowser();
  const results = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await browser.newPage();
    await ask(child, 'begin');
    const start = performance.now();
    await page.goto(`${url}/portal/products/round-${round}/spec`);
    await page.waitForSelector('.reference[data-ready]');
    await page.click('.reference-group > summary');
    await page.click('.reference-list a:visible');
    await page.waitForSelector('.reference-operation');
    const ready = performance.now() - start;
    await page.close();
    results.push({ ready, ...(await ask(child, 'end')) });
  }
  await browser.close();
  child.kill();
  for (const { ready, p99, max } of results) {
    console.log(
      `an operation is shown after ${ready.toFixed(0)} ms; event loop p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`,
    );
  }
  const best = { ready: Math.min(...results.map((one) => one.ready)), p99: Math.min(...results.map((one) => one.p99)) };
  const isMissed = best.ready > TARGETS.ready || best.p99 > TARGETS.p99;
  console.log(isMissed ? 'Missed.' : 'Within the targets.');
  process.exitCode = isMissed ? 1 : 0;
}

const [, , first, file] = process.argv;
await (first === 'serve' ? serve(file) : measure(first));
