import { DocumentIndexes, type DocumentIndex } from '../../../src/domain/catalog/index.js';
import { HARBOUR } from '../../support/documents.js';
import { FakeClock } from '../../support/fake-clock.js';

async function read(document: object): Promise<DocumentIndex> {
  const hash = JSON.stringify(document).slice(0, 200) + Math.random();
  const index = await new DocumentIndexes(new FakeClock()).of(hash, () => Promise.resolve(JSON.stringify(document)));
  if (!index) throw new Error('the document was not taken apart');
  return index;
}

const schema = (properties: object) => ({ type: 'object', properties });
const answer = (pointer: string) => ({
  200: { description: 'ok', content: { 'application/json': { schema: { $ref: pointer } } } },
});
const PAYMENTS = {
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: {
    '/refunds': {
      get: { operationId: 'listRefunds', summary: 'List refunds', responses: answer('#/components/schemas/Refund') },
    },
    '/payments': {
      get: {
        operationId: 'listPayments',
        description: 'Newest first. A refund is a payment of its own kind.',
        parameters: [
          { name: 'created_after', in: 'query', description: 'Settled since then', schema: { type: 'string' } },
        ],
        responses: answer('#/components/schemas/Payment'),
      },
    },
  },
  components: {
    schemas: {
      Payment: schema({ payer: { $ref: '#/components/schemas/Party' }, amount: { type: 'integer', example: 'zebra' } }),
      Refund: schema({ payment: { $ref: '#/components/schemas/Payment' }, refundReason: { enum: ['duplicate'] } }),
      Party: schema({ address: schema({ postalCode: { type: 'string', description: 'As the **post** writes it' } }) }),
    },
  },
};

describe('the search in a document', () => {
  let index: DocumentIndex;
  beforeAll(async () => (index = await read(PAYMENTS)));
  const found = (question: string) =>
    index.search
      .find(question)
      .map(({ number, spots }) => [index.outline.operations[number]?.anchor, ...spots.map(({ name }) => name)]);

  it('finds names first, then what operations say, then what their schemas say', () => {
    expect(found('refund')).toEqual([
      ['listRefunds', ''],
      ['listPayments', ''],
    ]);
    expect(found('settled')).toEqual([['listPayments', 'created_after']]);
    expect(found('CREATED')).toEqual([['listPayments', 'created_after']]);
  });

  it('climbs from a schema to the operations that use it, near ones first', () => {
    expect(found('postalcode')).toEqual([
      ['listPayments', 'address.postalCode'],
      ['listRefunds', 'address.postalCode'],
    ]);
    expect(found('code')).toEqual(found('postalcode'));
    expect(found('duplicate')).toEqual([['listRefunds', 'refundReason']]);
  });

  it('wants every word, wherever it stands, and says where', () => {
    expect(found('post settled')).toEqual([['listPayments', 'address.postalCode', 'created_after']]);
    expect(found('settled nothing')).toEqual([]);
    const [hit] = index.search.find('kind');
    expect(hit?.spots[0]?.text).toBe('Newest first. A refund is a payment of its own kind.');
  });

  it('does not find examples, and nothing for nothing', () => {
    for (const question of ['zebra', '', ' / ', '\n', '__proto__', 'constructor']) expect(found(question)).toEqual([]);
  });

  it('knows other scripts, and cuts long texts around the word', async () => {
    const text = `${'before '.repeat(50)}المرفأ ${'after '.repeat(50)}`;
    const other = await read({
      ...HARBOUR,
      paths: { '/a': { get: { description: text, responses: {} } } },
      webhooks: {},
    });
    const [hit] = other.search.find('المرفأ');
    expect(hit?.spots[0]?.text).toMatch(/^… before .*المرفأ after .* …$/);
  });
});
