import { pathToFileURL } from 'node:url';

/* eslint-disable @typescript-eslint/no-explicit-any -- scripts of pages have no types */
const load = (name: string): Promise<any> => import(pathToFileURL(`templates/theme/assets/${name}`).href);
const { queryPairs, pathText, headerText, readValue, writeValue } = await load('reference-serialize.js');
const { bodyOf, payloadOf, contentOf } = await load('reference-body.js');
const { firstValues, requestOf } = await load('reference-request.js');
const { buildIndex } = await import('../../src/domain/catalog/openapi/build-index.js');

const VALUES = {
  empty: '',
  string: 'blue',
  array: ['blue', 'black', 'brown'],
  object: { R: 100, G: 200, B: 150 },
};
/** "Style Examples" of OpenAPI 3.1.1; null: not defined. Columns: empty, string, array, object. */
const TABLE: readonly (readonly [style: string, explode: boolean, ...columns: (string | null)[]])[] = [
  ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, null, null, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, null, null, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, null, null, null, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
];
const CASES = TABLE.flatMap(([style, explode, ...columns]) =>
  Object.entries(VALUES).map(([kind, value], column) => [style, explode, kind, value, columns[column]] as const),
).filter((row) => row[4] !== null);

const inQuery = (parameter: object, value: unknown) =>
  queryPairs(parameter, value)
    .map((pair: string[]) => pair.join('='))
    .join('&');
const isOfPath = (style: string) => ['matrix', 'label', 'simple'].includes(style);

describe('the styles of OpenAPI 3.1', () => {
  it.each(CASES)('%s, explode %s: %s', (style, explode, _kind, value, written) => {
    const parameter = { name: 'color', style, explode };
    expect(isOfPath(style) ? pathText(parameter, value) : inQuery(parameter, value)).toBe(written);
    if (style === 'simple') expect(headerText(parameter, value)).toBe(written);
  });

  it('send nothing of an empty list or object, and nothing of what is null', () => {
    for (const explode of [true, false]) {
      for (const value of [[], {}, [null], { a: null }]) {
        expect(queryPairs({ name: 'x', style: 'form', explode }, value)).toEqual([]);
      }
    }
    expect(queryPairs({ name: 'x', style: 'deepObject', explode: true }, { a: null, b: {} })).toEqual([]);
  });

  it('encode what would end a value, unless reserved characters are allowed', () => {
    const value = "a/b?c&d=e#f'g!(*)[h] ü\ud800%20";
    expect(inQuery({ name: 'q[]', style: 'form', explode: true }, value)).toBe(
      'q%5B%5D=a%2Fb%3Fc%26d%3De%23f%27g%21%28%2A%29%5Bh%5D%20%C3%BC%EF%BF%BD%2520',
    );
    expect(inQuery({ name: 'q', style: 'form', explode: true, allowReserved: true }, value)).toBe(
      "q=a/b?c%26d=e%23f'g!(*)%5Bh%5D%20%C3%BC%EF%BF%BD%20",
    );
    expect(inQuery({ name: 'q', style: 'form', explode: false }, ['a,b', 'c'])).toBe('q=a%2Cb,c');
    expect(pathText({ name: 'p', style: 'simple', explode: false }, '../a/b')).toBe('..%2Fa%2Fb');
    expect(headerText({ explode: false }, 'a b%\r\nX-Other: 1')).toBe('a b% X-Other: 1');
  });

  it('write what lies deeper as servers of forms read it', () => {
    const value = { gte: 5, in: ['a', 'b'], items: [{ price: 'p' }], deep: { 'x]': 1 } };
    expect(decodeURIComponent(inQuery({ name: 'created', style: 'deepObject', explode: true }, value))).toBe(
      'created[gte]=5&created[in][]=a&created[in][]=b&created[items][0][price]=p&created[deep][x%5D]=1'.replace(
        '%5D]',
        ']]',
      ),
    );
  });
});

describe('what somebody typed', () => {
  const store = { schemas: new Map([['#/s/List', { type: 'array', items: { type: 'string' } }]]) };
  it.each([
    ['a, b', { type: 'array' }, ['a', 'b']],
    ['a,b', { $ref: '#/s/List' }, ['a', 'b']],
    ['["a,b"]', { $ref: '#/s/List' }, ['a,b']],
    ['{"a":1}', { type: 'object' }, { a: 1 }],
    ['{"a":1}', { type: 'string' }, '{"a":1}'],
    ['{"a":1}', { anyOf: [{ type: 'object' }, { type: 'integer' }] }, { a: 1 }],
    ['5', { anyOf: [{ type: 'object' }, { type: 'integer' }] }, '5'],
    ['a,b', { anyOf: [{ type: 'string' }, { type: 'array' }] }, 'a,b'],
    ['[x', { type: 'array' }, ['[x']],
    ['{x', { type: 'object' }, '{x'],
    ['a,b', null, 'a,b'],
  ])('%s as %j', (text, schema, value) => {
    expect(readValue(text, schema, store)).toEqual(value);
  });

  it.each([[['a', 'b']], [['a,b', 'c']], [['[']], [['']], [[' a']], [{ a: [1] }], [[{ a: 1 }]], ['x'], [[]]])(
    '%j stands in a field as it is read again',
    (value) => {
      const schema = { type: Array.isArray(value) ? 'array' : typeof value };
      expect(readValue(writeValue(value), schema, store)).toEqual(value);
    },
  );
});

/** The only operation of a document, and the request that follows from its fields. */
function requestFor(document: Record<string, any>, fields: Record<string, string> = {}, method = 'get') {
  const parts = buildIndex(JSON.stringify({ info: { title: 'T', version: '1' }, ...document }));
  const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
  const row = parts.operations[0];
  const operation = read(parts.bytes.subarray(row?.start, row?.end));
  const index = read(parts.index);
  const store = { schemas: new Map() };
  const values = firstValues(operation, index, store, () => true);
  for (const [key, text] of Object.entries(fields)) values.parameters.set(key, text);
  const entry = { path: Object.keys(document.paths)[0], method };
  return requestOf({ entry, operation, index, values, secrets: null, store });
}
const with3 = (parameters: object[], path = '/x') => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example/v1/' }],
  paths: { [path]: { get: { parameters } } },
});
const list = { type: 'array', items: { type: 'string' } };

describe('a request', () => {
  it('writes each parameter in the style that the document gives it', () => {
    const parameters = [
      { name: 'id', in: 'path', style: 'matrix', schema: list },
      { name: 'plain', in: 'path', schema: list },
      { name: 'a', in: 'query', schema: list },
      { name: 'b', in: 'query', style: 'pipeDelimited', schema: list },
      { name: 'created', in: 'query', style: 'deepObject', schema: { type: 'object' } },
      { name: 'path', in: 'query', allowReserved: true, schema: { type: 'string' } },
      { name: 'json', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      { name: 'X-List', in: 'header', schema: list },
      { name: 'X-Json', in: 'header', content: { 'application/json': {} } },
      { name: 'c', in: 'cookie', explode: false, schema: list },
      { name: 'd', in: 'cookie', schema: list },
    ];
    const request = requestFor(with3(parameters, '/x/{id}/{plain}'), {
      ...{ 'path id': 'a,b', 'path plain': 'a,b', 'query a': 'a,b', 'query b': 'a,b', 'query created': '{"gte":5}' },
      ...{ 'query path': '/a/b', 'query json': '{"a":[1]}', 'header X-List': 'a, b', 'header X-Json': '{"a":1}' },
      ...{ 'cookie c': 'a,b', 'cookie d': 'a,b;' },
    });
    expect(request.url).toBe(
      'https://a.example/v1/x/;id=a,b/a,b?a=a&a=b&b=a%7Cb&created%5Bgte%5D=5&path=/a/b&json=%7B%22a%22%3A%5B1%5D%7D',
    );
    expect(request.headers).toEqual([
      ['X-List', 'a,b'],
      ['X-Json', '{"a":1}'],
    ]);
    expect(request.cookies).toEqual([
      ['c', 'a,b'],
      ['d', 'a'],
      ['d', 'b%3B'],
    ]);
  });

  it.each([
    ['csv', 'x=a,b'],
    ['ssv', 'x=a%20b'],
    ['tsv', 'x=a%09b'],
    ['pipes', 'x=a%7Cb'],
    ['multi', 'x=a&x=b'],
    [undefined, 'x=a,b'],
  ])('writes the collection format %s of Swagger 2.0', (collectionFormat, query) => {
    const parameters = [{ name: 'x', in: 'query', ...list, collectionFormat }];
    const document = { swagger: '2.0', host: 'a.example', paths: { '/x': { get: { parameters } } } };
    expect(requestFor(document, { 'query x': 'a,b' }).url).toBe(`https://a.example/x?${query}`);
  });

  it('has one parameter as its whole query in OpenAPI 3.2', () => {
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } };
    const document = with3([{ name: 'q', in: 'querystring', content }]);
    expect(requestFor(document, { 'querystring q': '{"a":"b c","d":1}' }).url).toMatch(/\?a=b%20c&d=1$/);
  });

  it('lets no part of a document become another part of the request', () => {
    const parameters = [
      { name: 'X-A\r\nX-B', in: 'header', schema: { example: '1' }, required: true },
      { name: 'X-C', in: 'header', schema: { example: '1\r\nX-D: 2' }, required: true },
    ];
    const document = { ...with3(parameters, '/x`$(id)"#y'), servers: [{ url: '-o /tmp/x' }] };
    const request = requestFor(document);
    expect(request.headers).toEqual([['X-C', '1 X-D: 2']]);
    expect(request.url).toBe('https://api.example.com/-o%20/tmp/x/x%60$(id)%22');
  });
});

describe('a body', () => {
  const store = { schemas: new Map() };
  const filled = (media: object) => payloadOf(bodyOf({ examples: [], encoding: {}, ...media }, store), store);
  const FORM = 'application/x-www-form-urlencoded';
  const schema = {
    type: 'object',
    properties: {
      name: { example: 'a&b ü' },
      tags: { ...list, example: ['x', 'y'] },
      meta: { type: 'object', example: { k: 'v' } },
    },
  };
  const style = (name: string, explode = true) => ({ style: name, explode, allowReserved: false, contentType: '' });

  it('is a form in the encodings of its fields', () => {
    expect(filled({ type: FORM, schema }).text).toBe('name=a%26b+%C3%BC&tags=x&tags=y&meta=%7B%22k%22%3A%22v%22%7D');
    const encoding = { tags: style('deepObject'), meta: style('deepObject') };
    const deep = filled({ type: FORM, schema, encoding });
    expect(deep.text).toBe('name=a%26b+%C3%BC&tags%5B%5D=x&tags%5B%5D=y&meta%5Bk%5D=v');
    expect(deep.pairs).toContainEqual(['meta[k]', 'v']);
    const joined = filled({
      type: FORM,
      schema,
      encoding: { tags: style('pipeDelimited', false), meta: style('form') },
    });
    expect(joined.text).toBe('name=a%26b+%C3%BC&tags=x%7Cy&k=v');
    // `x,y` as one encoded value would be another form.
    expect(filled({ type: FORM, schema, encoding: { tags: style('form', false) } }).pairs).toBeNull();
  });

  it('has parts that say what they are, with files', async () => {
    const properties = {
      ...schema.properties,
      file: { type: 'string', format: 'binary' },
      more: { items: { format: 'binary' } },
    };
    const encoding = {
      file: { ...style(''), contentType: 'image/png, image/jpeg' },
      name: { ...style(''), contentType: 'text/x"y' },
    };
    const body = bodyOf(
      { type: 'multipart/form-data', examples: [], schema: { type: 'object', properties }, encoding },
      store,
    );
    expect(payloadOf(body, store).parts.slice(3)).toEqual([
      { name: 'meta', value: '{"k":"v"}', type: 'application/json' },
      { name: 'file', file: null, type: 'image/png' },
      { name: 'more', file: null, type: '' },
    ]);
    body.files.set('file', [new File(['PNG'], 'a"b\r\n.png', { type: 'image/x' })]);
    body.files.set('more', [new File(['1'], '1'), new File(['2'], '2')]);
    const { type, content } = contentOf(payloadOf(body, store));
    const form = await new Response(content, { headers: { 'Content-Type': type } }).formData();
    expect([...form.keys()]).toEqual(['name', 'tags', 'tags', 'meta', 'file', 'more', 'more']);
    expect(await content.text()).toContain(
      'name="file"; filename="a%22b%0D%0A.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n',
    );
    expect(await content.text()).toContain('name="meta"\r\nContent-Type: application/json\r\n\r\n{"k":"v"}');
  });

  it('is a file where the document says so, or can say nothing else', () => {
    const isFile = (type: string, schemaOf: object | null) =>
      bodyOf({ type, schema: schemaOf, examples: [], encoding: {} }, store).isFile === true;
    expect(isFile('application/octet-stream', { type: 'string', format: 'binary' })).toBe(true);
    expect(isFile('image/*', null)).toBe(true);
    expect(isFile('text/csv', { type: 'string', format: 'binary' })).toBe(true);
    expect([isFile('text/csv', { type: 'string' }), isFile('application/problem+json', null)]).toEqual([false, false]);
    const body = bodyOf({ type: 'image/*', schema: null, examples: [], encoding: {} }, store);
    expect(payloadOf(body, store)).toEqual({ kind: 'file', type: 'application/octet-stream', file: null });
    body.files.set('', [new File(['x'], 'x.png', { type: 'image/png' })]);
    expect(payloadOf(body, store).type).toBe('image/png');
  });
});
