import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { carryOut, kinds, OperatorPort, planChanges, PresentRecords, readFolder } from '../../src/as-code/index.js';
import type { TestPortal } from './test-portal.js';

type Files = Readonly<Record<string, string>>;

/** Characters that YAML, Markdown, HTML and both databases have opinions about. */
const SIGNS = [...'aZ09 -_.:#\'"&<>|*?!%@`{}[],\\/~', 'ß', '漢', 'ع', '😀', 'é'];
const line = (maxLength: number) =>
  fc
    .string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength })
    .map((text) => `x${text}`.trim().replace(/ +/g, ' '));
const text = fc.array(line(20), { maxLength: 4 }).map((lines) => lines.join('\n'));
const slugs = (name: string) => fc.constantFrom(...['one', 'two', 'three'].map((part) => `${name}-${part}`));
const some = <T>(model: Record<string, fc.Arbitrary<T>>) => fc.record(model, { requiredKeys: ['name'] });

const category = some<unknown>({ name: line(30), short_description: line(60), description: text });
const plan = some<unknown>({
  name: line(30),
  position: fc.integer({ min: 0, max: 50 }),
  price: line(20),
  limits: fc.record({
    quota_per_day: fc.integer({ min: 1, max: 1e6 }),
    grace_percent: fc.integer({ min: 0, max: 50 }),
    shared: fc.boolean(),
  }),
});
const product = some<unknown>({
  name: line(30),
  short_description: line(60),
  description: text,
  visibility: fc.constantFrom('draft', 'public', 'private'),
  approval: fc.constantFrom('auto', 'manual', 'once'),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c d', 'é'), { maxLength: 4 }),
  custom_attributes: fc.dictionary(fc.constantFrom('owner', 'tier'), line(20)),
});
const item = fc.record({ label: line(30), url: fc.constantFrom('https://example.com/', '/elsewhere') });
const menu = some<unknown>({ name: line(30), items: fc.array(item, { maxLength: 3 }) });
const guide = some<unknown>({
  ...{ name: line(30), group: line(20), position: fc.integer({ min: -5, max: 5 }) },
  visibility: fc.constantFrom('draft', 'public'),
});

const listOf = (kind: string, one: fc.Arbitrary<unknown>) =>
  fc
    .dictionary(slugs(kind), one, { minKeys: 1, maxKeys: 2 })
    .map((records): Files => ({ [`${kind}.yaml`]: stringify(records) }));
const withDocument = fc.tuple(slugs('product'), product, fc.option(line(20))).map(([slug, doc, title]): Files => {
  const name = `products/${slug}`;
  const spec = { openapi: '3.1.0', info: { title, version: '1' }, paths: {} };
  const document = title === null ? {} : { document: `${slug}.json` };
  return {
    [`${name}.yaml`]: stringify({ slug, ...(doc as object), ...document }),
    ...(title !== null && { [`${name}.json`]: JSON.stringify(spec) }),
  };
});
const withText = fc.tuple(slugs('guide'), guide, text).map(([slug, doc, words]): Files => {
  const name = `guides/${slug}`;
  return {
    [`${name}.yaml`]: stringify({ guide: slug, ...(doc as object), text: `${slug}.md` }),
    [`${name}.md`]: `${words}\n`,
  };
});

/** What somebody makes of the files of a portal. */
const edits = fc
  .array(
    fc.oneof(listOf('categories', category), listOf('plans', plan), listOf('menus', menu), withDocument, withText),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts): Files => Object.assign({}, ...parts) as Files);

/** Writes random files, plans, applies and plans again, so often. @throws with the smallest files of which a plan is left */
export async function editAgainAndAgain({ portal }: TestPortal, numRuns: number): Promise<void> {
  const port = new OperatorPort(portal.services, portal.operatorParts);
  const planned = async (root: string) =>
    planChanges(port, await readFolder({ root, kinds, env: {} }), new PresentRecords(port));
  const property = fc.asyncProperty(edits, async (files) => {
    const root = mkdtempSync(join(tmpdir(), 'edits-'));
    try {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
      await carryOut(port, await planned(root));
      const left = await planned(root);
      if (left.length > 0) throw new Error(JSON.stringify(left.map(({ kind, key, changes }) => [kind, key, changes])));
    } finally {
      rmSync(root, { recursive: true });
    }
  });
  await fc.assert(property, { numRuns, seed: 20_261_125, includeErrorInReport: true });
}
