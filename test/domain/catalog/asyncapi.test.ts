import { DocumentIndexes, type DocumentIndex } from '../../../src/domain/catalog/index.js';
import { CHAT, STREETLIGHTS } from '../../support/async-documents.js';
import { FakeClock } from '../../support/fake-clock.js';

async function read(document: object): Promise<DocumentIndex> {
  const text = JSON.stringify(document);
  const index = await new DocumentIndexes(new FakeClock()).of(text, () => Promise.resolve(text));
  if (!index) throw new Error('the document was not taken apart');
  return index;
}

// Tests read arbitrary records out of it.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const json = (bytes: Buffer | null): any => JSON.parse(bytes?.toString() ?? 'null');

describe('a document of AsyncAPI 3', () => {
  let index: DocumentIndex;
  beforeAll(async () => (index = await read(STREETLIGHTS)));

  it('lists what is sent and received', () => {
    expect(index.outline).toMatchObject({
      kind: 'asyncapi',
      format: 'AsyncAPI 3.0.0',
      title: 'Streetlights',
      base: null,
    });
    expect(index.outline.operations.map(({ method, path, anchor, tag }) => [method, path, anchor, tag])).toEqual([
      ['receive', 'lights/{lightId}/measured', 'receiveMeasurement', 'Lights'],
      ['send', 'lights/turned', 'turnOn', ''],
    ]);
    expect(json(index.index)).toMatchObject({
      servers: [{ url: 'mqtt://broker.lights.example:{port}/v1', name: 'production', variables: [{ name: 'port' }] }],
      security: [[{ name: 'sasl', scopes: [] }]],
      schemes: [{ name: 'sasl', type: 'scramSha256' }],
    });
  });

  it('gives messages with headers, payload and examples, and the channel that they go through', () => {
    const { operation, schemas, prose } = json(index.operation(0));
    expect(JSON.stringify(prose)).toContain('["pre",["code"');
    expect(operation).toMatchObject({
      pathSummary: 'What lights measure',
      pathDescription: expect.stringContaining('"qos": 2'),
      parameters: [{ name: 'lightId', in: 'channel', schema: { enum: ['a', 'b'] } }],
      responses: [
        {
          ...{ status: 'lightMeasured', summary: 'Light measured', headers: [{ name: 'key', required: true }] },
          content: [
            {
              type: 'application/cloudevents+json',
              schema: { $ref: '#/components/schemas/Measured' },
              examples: [{ name: 'bright', value: { lumens: 900 } }],
            },
          ],
        },
      ],
    });
    expect(schemas.map(([pointer]: [string]) => pointer)).toEqual(['#/components/schemas/Measured']);
  });

  it('takes all messages of a channel where none is named, and tells of the reply', () => {
    const { operation } = json(index.operation(1));
    expect(operation.responses).toMatchObject([{ status: 'turn', content: [{ schema: { enum: ['on', 'off'] } }] }]);
    expect(operation.callbacks).toMatchObject([
      { address: '$message.header#/replyTo', operation: { responses: [{ status: 'lightMeasured' }] } },
    ]);
  });

  it('is searched', () => {
    expect(index.search.find('intensity').map(({ number }) => number)).toEqual([0, 1]);
  });
});

describe('a document of AsyncAPI 2', () => {
  it('lists what clients publish and subscribe to', async () => {
    const index = await read(CHAT);
    expect(index.outline.operations.map(({ method, path, anchor }) => [method, path, anchor])).toEqual([
      ['publish', '/rooms/{room}', 'publish-rooms-room'],
      ['subscribe', '/rooms/{room}', 'onMessage'],
    ]);
    const { operation } = json(index.operation(1));
    expect(operation.responses.map(({ status }: { status: string }) => status)).toEqual(['text', 'joined']);
    expect(operation.parameters).toMatchObject([{ name: 'room', schema: { minLength: 1 } }]);
    expect(json(index.index).servers[0].url).toBe('wss://chat.example');
  });

  it('shows payloads in other languages as they are', async () => {
    const { operation } = json((await read(CHAT)).operation(0));
    expect(operation.responses[0].content).toMatchObject([
      { schema: null, examples: [{ name: 'application/vnd.apache.avro;version=1.9.0', value: { name: 'Said' } }] },
    ]);
  });
});

describe('a document of AsyncAPI that is not one', () => {
  const message = { $ref: '#/components/messages/A' };
  it.each([
    ['circles', { channels: { a: { $ref: '#/channels/a' } }, operations: { b: { $ref: '#/operations/b' } } }],
    [
      'messages in a circle',
      { channels: { a: { messages: { m: message } } }, components: { messages: { A: message } } },
    ],
    ['other types', { channels: [1], operations: { a: null, b: 'x', c: { channel: 7, messages: 'y', reply: {} } } }],
    ['names of a prototype', { channels: {}, operations: { constructor: { action: '__proto__', channel: {} } } }],
  ])('is taken apart as far as it goes: %s', async (_what, extra) => {
    const index = await read({ asyncapi: '3.0.0', info: { title: 'T', version: '1' }, ...extra });
    for (const number of index.outline.operations.keys()) expect(index.operation(number)).not.toBeNull();
  });
});
