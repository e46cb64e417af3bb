import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { buildDocument, type OpenApiDocument } from '../../src/openapi/index.js';
import { Admin } from '../support/admin.js';
import { createProduct, createUser } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let boss: Admin;
beforeAll(async () => {
  test = await startTestPortal({ config: { outbound: { allow: ['127.0.0.1'] } } });
  boss = await Admin.create(test);
});
afterAll(() => test.stop());

const documentOf = (context?: 'consumer' | 'admin') => buildDocument(test.portal.routes, test.portal.config, context);

/** Says what is wrong with a body of a type. */
function judge(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  return (type: string, body: unknown) => {
    const pointer = `/webhooks/${type}/post/requestBody/content/application~1json/schema`;
    const validate = ajv.getSchema(`document#${pointer}`);
    return validate?.(body) === true ? [] : (validate?.errors ?? [`no schema of ${type}`]);
  };
}

describe('the webhooks of the OpenAPI document', () => {
  it('are the types that endpoints can be told of: all for operators, those of apps for developers', async () => {
    const { json } = await boss.get('/webhook-events');
    const types = (json.data as { type: string }[]).map(({ type }) => type);
    expect(Object.keys(documentOf().webhooks)).toEqual(types);
    expect(Object.keys(documentOf('admin').webhooks)).toEqual(types);
    const own = types.filter((type) =>
      /^(?:(app|credential)[.]|product[.](change_published|deprecation_(announced|updated|retired)|sunset_reached)$)/.test(
        type,
      ),
    );
    expect(Object.keys(documentOf('consumer').webhooks)).toEqual(own);
    expect(own.length).toBeGreaterThan(10);
  });

  it('describe every body that is sent, and no other', async () => {
    expect((await boss.post('/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] })).status).toBe(201);
    const user = await createUser(test);
    const { slug } = await createProduct(test, { slug: 'harbour', approval: 'manual' });
    const actor = { type: 'developer', id: user.id } as const;
    const input = { name: 'shop', displayName: 'Shop', description: '', products: [slug] };
    await test.portal.services.apps.apps.create(user, input, actor);
    await boss.put(`/products/${slug}`, { name: 'Harbour of Larkmere' });
    await boss.post('/categories', { slug: 'maps', name: 'Maps' });
    const rows = await test.portal.database.select<{ type: string; body: string }>(
      'SELECT type, body FROM portal_webhook_messages ORDER BY id',
    );
    const types = rows.map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining(['app.created', 'credential.created', 'category.created', 'product.updated']),
    );
    const faultsOf = judge(documentOf());
    for (const { type, body } of rows) expect([type, faultsOf(type, JSON.parse(body))]).toEqual([type, []]);
    const [{ body = '' } = {}] = rows;
    const { data, ...others } = JSON.parse(body) as { data: object };
    expect(faultsOf('app.deleted', { ...others, data })).not.toEqual([]);
    expect(faultsOf(types[0] ?? '', { ...others, data: { ...data, owner_id: 'x' } })).not.toEqual([]);
  });
});
