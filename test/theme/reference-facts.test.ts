import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Browser, Page } from 'playwright-core';
import { openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { BETWEEN, factsOf, missingIn, type Fact } from '../support/document-facts.js';
import { createProduct } from '../support/factories.js';
import { EVERYTHING } from '../support/documents.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const FOLDER = new URL('../../../test/data/openapi/', import.meta.url);
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'query'];
const MOST_OPERATIONS = 8;
/** Share of facts: 99.5 % must be there. */
const MOST_MISSING = 0.005;

type Json = Record<string, Record<string, Record<string, unknown>>>;

const documents = new Map<string, object>([['everything', EVERYTHING]]);
for (const name of readdirSync(FOLDER).filter((file) => /[.](?:json|yaml)$/.test(file))) {
  documents.set(name, parse(readFileSync(new URL(name, FOLDER), 'utf8')) as object);
}

let test: TestPortal;
let browser: Browser;

describeWith('chromium', 'facts of documents', () => {
  beforeAll(async () => {
    test = await startTestPortal({ config: { limits: { ip: { requests: { max: 100_000 } } } } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each([...documents])('are on the pages: %s', async (name, document) => {
    const slug = name.replace(/\W+/g, '-');
    await createProduct(test, { slug, name }, document);
    const { page, context } = await openVisitor(browser, test.client.url, { reducedMotion: 'reduce' });
    await page.goto(`/portal/products/${slug}/spec`);
    await page.waitForSelector('.reference[data-ready]');
    let total = 0;
    const flags = { total: 0, missing: 0 };
    const missing: (Fact & { operation: string })[] = [];
    for (const { operation, anchor, facts } of await operationsOf(slug, document as Json)) {
      // What was there before must not count.
      await page.evaluate(`document.querySelector('.reference-main').replaceChildren()`);
      await page.evaluate(`location.hash = ${JSON.stringify(`#op-${anchor}`)}`);
      await page.waitForSelector('.reference-operation');
      const text = await wholeText(page);
      total += facts.length;
      const lost = missingIn(text, facts);
      missing.push(...lost.map((fact) => ({ operation, ...fact })));
      flags.total += facts.filter(isFlag).length;
      flags.missing += lost.filter(isFlag).length;
    }
    await context.close();
    expect(total).toBeGreaterThan(0);
    expect(missing.length / total <= MOST_MISSING ? [] : missing.slice(0, 30)).toEqual([]);
    // They would not count for much among all words.
    expect(flags.missing <= flags.total * MOST_MISSING ? [] : missing.filter(isFlag).slice(0, 30)).toEqual([]);
  });
});

const isFlag = ({ what }: Fact): boolean => what.endsWith(' flag');

async function operationsOf(slug: string, document: Json) {
  const { html } = await new PageClient(test.client).get(`/portal/products/${slug}/spec`);
  const source = decoded(/data-reference="([^"]+)"/.exec(html)?.[1] ?? '');
  const { operations } = JSON.parse((await new PageClient(test.client).get(`${source}index`)).html) as {
    operations: string[][];
  };
  const all = [document.paths, document.webhooks].flatMap((items) =>
    Object.entries(items ?? {}).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({ path, item, method })),
    ),
  );
  const step = Math.max(1, all.length / MOST_OPERATIONS);
  return all
    .map(({ path, item, method }, place) => ({
      ...{
        place,
        operation: `${method} ${path}`,
        anchor: operations.find((one) => one[0] === method && one[1] === path)?.[4] ?? '',
      },
      facts: factsOf(document, item, item[method] as Record<string, unknown>),
    }))
    .filter(({ place }) => Math.floor(place % step) === 0);
}

/** Everything that unfolds, each schema once. */
async function wholeText(page: Page): Promise<string> {
  for (let round = 0; round < 40; round += 1) {
    await page.waitForSelector('.reference-schema:empty', { state: 'detached' });
    const opened = await page.evaluate(`(() => {
      const main = document.querySelector('.reference-main');
      const seen = (window.seenSchemas ??= new WeakMap());
      const known = seen.get(main.firstElementChild) ?? new Set();
      seen.set(main.firstElementChild, known);
      let opened = 0;
      for (const button of main.querySelectorAll('.reference-rest')) { button.click(); opened += 1; }
      for (const fold of main.querySelectorAll('details.reference-fold:not([open])')) {
        if (fold.dataset.schema && known.has(fold.dataset.schema)) continue;
        if (fold.dataset.schema) known.add(fold.dataset.schema);
        fold.open = true;
        opened += 1;
      }
      return opened;
    })()`);
    if (opened === 0) break;
  }
  return page.evaluate(`(() => {
    const main = document.querySelector('.reference-main');
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    // The words of neighbours stay apart in the first, values in several pieces whole in the second.
    return texts.join(' ') + ${JSON.stringify(BETWEEN)} + main.textContent;
  })()`);
}
