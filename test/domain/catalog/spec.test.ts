import { stringify } from 'yaml';
import { SpecWorkers } from '../../../src/domain/catalog/index.js';
import { SpecReader } from '../../../src/domain/catalog/openapi/spec-reader.js';
import { ValidationError } from '../../../src/core/index.js';
import { HARBOUR } from '../../support/documents.js';

const MAX_BYTES = 4 * 1024 * 1024;
const nowhere = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
const reader = new SpecReader(MAX_BYTES, nowhere);

const openapi = (extra: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: {},
  ...extra,
});
const read = async (source: string | object, by = reader) => JSON.parse((await by.read(source)).document) as unknown;

/** The reason of a refusal. */
async function refusal(source: string | object, by = reader): Promise<string> {
  const error: unknown = await by.read(source).catch((caught: unknown) => caught);
  if (!(error instanceof ValidationError)) throw new Error('the document was not refused', { cause: error });
  return error.errors.spec?.join(' ') ?? '';
}

const ref = (target: string) => ({ $ref: target });
const yaml = (rest: string) => `openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\n${rest}`;

describe('reading an OpenAPI document', () => {
  it.each([
    ['an object', openapi()],
    ['JSON text', JSON.stringify(openapi())],
    ['JSON text with a byte order mark', `\uFEFF${JSON.stringify(openapi())}`],
    ['YAML text', 'openapi: 3.1.0\ninfo:\n  title: T\n  version: "1"\npaths: {}\n'],
    ['YAML that begins like JSON', '{openapi: 3.1.0, info: {title: T, version: "1"}, paths: {}}'],
  ])('takes %s', async (_what, source) => {
    expect(await read(source)).toEqual(openapi());
  });

  it('takes Swagger 2.0, also when its version was written without quotes', async () => {
    const swagger = { swagger: '2.0', info: { title: 'T', version: '1' }, paths: {} };
    expect(await read(swagger)).toEqual(swagger);
    expect(await read('swagger: 2.0\ninfo: { title: T, version: "1" }\npaths: {}')).toEqual(swagger);
  });

  it.each(['3.0.4', '3.1.2', '3.2.0'])('takes OpenAPI %s', async (version) => {
    expect(await read(openapi({ openapi: version }))).toEqual(openapi({ openapi: version }));
  });

  it('takes what looks like a reference and is data', async () => {
    const data = { deep: [ref('server-statistics.yaml')], ...ref('https://far.example/x') };
    const document = openapi({
      'x-own': data,
      components: {
        schemas: { A: { example: data, examples: [data], default: data, enum: [data], const: data } },
        examples: { one: { value: data }, two: ref('#/components/examples/one') },
      },
    });
    expect(await read(document)).toEqual(document);
  });

  it('reads YAML in pieces as it does in one', async () => {
    const whole = { ...HARBOUR, 'x-a': { b: { c: { d: { e: 'f'.repeat(400) }, g: ['h'.repeat(400)] } } } };
    expect(await read(stringify(whole, { aliasDuplicateObjects: false }))).toEqual(whole);
    // Equal parts become anchors, which other pieces point at.
    const part = { description: 'y'.repeat(300), enum: ['z'.repeat(100)] };
    const shared = { ...whole, components: { schemas: { A: part, B: { properties: { a: part } }, C: { not: part } } } };
    const text = stringify(shared);
    expect(text).toMatch(/&a1[^]*\*a1/);
    expect(await read(text)).toEqual(shared);
    const old = `%YAML 1.1\n---\n${yaml(`x-a:\n  b:\n    c:\n      d: yes\n      e: ${'e'.repeat(200)}\n    f: 1`)}`;
    expect(await read(old)).toMatchObject({ 'x-a': { b: { c: { d: 'yes' } } } });
  });

  it('gives equal documents equal hashes, whatever they were written in', async () => {
    const [a, b] = [await reader.read(JSON.stringify(openapi(), null, 4)), await reader.read(openapi())];
    expect(a.hash).toBe(b.hash);
    expect(a.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('writes out YAML aliases', async () => {
    const document = (await read(yaml('x-a: &a { b: 1 }\nx-c: [*a, *a]'))) as Record<string, unknown>;
    expect(document['x-c']).toEqual([{ b: 1 }, { b: 1 }]);
  });

  it('drops what could reach a prototype, and keeps properties that are only called constructor', async () => {
    const source = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{},"__proto__":{"admin":true},
      "x":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true},"type":"string"}}}`;
    const { document } = await reader.read(source);
    expect(document).not.toMatch(/__proto__|prototype|admin/);
    expect(JSON.parse(document)).toMatchObject({ x: { constructor: { type: 'string' } } });
    expect((await reader.read(yaml('__proto__: { admin: true }'))).document).not.toContain('admin');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('refusing a document', () => {
  const laughs = ['a: &a0 [lol]', ...Array.from({ length: 9 }, (_, i) => `b${i}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)];

  it.each([
    ['nothing', ' ', /empty/],
    ['text', 'hello', /not an object/],
    ['a list', '[]', /not an object/],
    ['something else', { hello: 'world' }, /not OpenAPI/],
    ['OpenAPI of another time', { ...openapi(), openapi: '4.0.0' }, /not OpenAPI/],
    ['a version that is no text', { ...openapi(), openapi: 3.1 }, /not OpenAPI/],
    ['one without info', { openapi: '3.1.0', paths: {} }, /info/],
    ['one without paths', { openapi: '3.0.0', info: openapi().info }, /paths/],
    ['broken JSON', '{"openapi": "3.1.0",', /neither JSON nor YAML.*line 1/],
    ['broken YAML', 'a: b: c: d', /neither JSON nor YAML.*line 1/],
    ['a fault in a piece', stringify(HARBOUR).replace('summary: Open a', 'summary: a: b'), /line 91, column/],
    [
      'the same key twice',
      yaml(`x:\n  y:\n    z:\n      a: ${'a'.repeat(99)}\n      a: 2\n    w: 1`),
      /unique.*line 8/,
    ],
    ['two documents', `${yaml('')}---\n${yaml('')}`, /more than one/],
    ['a billion laughs', yaml(laughs.join('\n')), /aliases/],
    ['a hundred and one aliases', yaml(`x: &x 1\ny: [${'*x,'.repeat(101)}]`), /aliases/],
    ['a reference to a file', openapi({ components: { schemas: { A: { $ref: 'file:///etc/passwd' } } } }), /passwd/],
    ['a reference to the web', openapi({ paths: { '/': { $ref: 'http://169.254.169.254/' } } }), /only references/],
    [
      'one to the web in a property named like data',
      openapi({ x: { properties: { default: ref('x.yaml') } } }),
      /only ref/,
    ],
    ['one to the web for an example', openapi({ components: { examples: { a: ref('x.yaml') } } }), /only references/],
    ['a reference to a neighbour', yaml('x: { $ref: other.yaml }'), /only references/],
    ['a million levels of JSON', `${'['.repeat(1e6)}${']'.repeat(1e6)}`, /deeper than 64/],
    ['a million open brackets', '['.repeat(1e6), /deeper than 64/],
    ['a million levels of YAML flow', `x: ${'['.repeat(1e6)}`, /deeper than 64/],
    ['many levels of YAML blocks', `${'- '.repeat(100_000)}a`, /deeper than 64/],
    ['indented YAML blocks', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /deeper than 64/],
    ['65 levels', openapi({ x: JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) as unknown }), /deeper than 64/],
    ['too many bytes', ' '.repeat(MAX_BYTES + 1) + JSON.stringify(openapi()), /larger than/],
    ['aliases that grow too large', yaml(`x: &x ${'a'.repeat(500_000)}\ny: [${'*x,'.repeat(90)}]`), /larger than/],
  ])('refuses %s', async (_what, source, reason) => {
    expect(await refusal(source)).toMatch(reason);
  });

  it('refuses an object that refers to itself', async () => {
    const circle: Record<string, unknown> = openapi();
    circle.self = circle;
    expect(await refusal(circle)).toMatch(/refers to itself/);
  });

  it('gives up on what takes too long, with a word on what to do', async () => {
    const hasty = new SpecReader(MAX_BYTES, nowhere, new SpecWorkers(1));
    const slow = yaml(Array.from({ length: 20_000 }, (_, i) => `x${i}: { a: [1, 2, 3] }`).join('\n'));
    expect(await refusal(slow, hasty)).toMatch(/longer than .* faster as JSON/);
  });

  it('still reads others while and after many bad ones are refused', async () => {
    const bad = Array.from({ length: 6 }, () => refusal('['.repeat(1e5)));
    expect(await read(openapi())).toEqual(openapi());
    expect(await Promise.all(bad)).toHaveLength(6);
  });
});

describe('writing a stored document as YAML', () => {
  it('says the same', async () => {
    const stored = await reader.read(
      openapi({ components: { schemas: { A: { type: 'string', pattern: '^a: b$' } } } }),
    );
    const text = (await reader.toYaml(Buffer.from(stored.document), stored.hash)).toString();
    expect(text).toContain('openapi: 3.1.0\n');
    expect(await reader.read(text)).toEqual(stored);
  });
});
