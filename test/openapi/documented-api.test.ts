import { defineRoute, Joi } from '../../src/api/index.js';
import { ConflictError } from '../../src/core/index.js';
import { created, ok, RawReply } from '../../src/http/index.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Answers something else than it declares. */
const lie = (name: string, handle: () => object) =>
  defineRoute({
    ...({ context: 'consumer', auth: 'none', method: 'get', tag: 'Lies', summary: 'Lie' } as const),
    path: `/lies/${name}`,
    operation: `lie${name}`,
    reply: { 200: Joi.object({ kept: Joi.boolean().required() }).label('Promise') },
    handle,
  });

const LIES = {
  field: () => ({ kept: true, secret: 1 }),
  missing: () => ({}),
  status: () => created({ kept: true }),
  refusal: () => {
    throw new ConflictError();
  },
  type: () => new RawReply(200, 'kept', { 'Content-Type': 'text/plain' }),
  header: () => ok({ kept: true }, { headers: { ETag: '"1"' } }),
};

let test: TestPortal;
beforeAll(async () => {
  const routes = [
    lie('nothing', () => ({ kept: true })),
    ...Object.entries(LIES).map(([name, tell]) => lie(name, tell)),
  ];
  test = await startTestPortal({ extensions: { routes: () => routes } });
});
afterAll(() => test.stop());

describe('the watch over every answer of a test', () => {
  it.each([
    ['field', /lies\/field: liefield 200 is not as documented: \/data must NOT have additional properties/],
    ['missing', /must have required property 'kept'/],
    ['status', /answered the undocumented status 201/],
    ['refusal', /answered the undocumented status 409/],
    ['type', /is of the undocumented type text\/plain/],
    ['header', /has the undocumented header etag/],
  ])('finds an undocumented %s', async (name, complaint) => {
    await expect(test.client.get(`/api/v1/lies/${name}`)).rejects.toThrow(complaint);
  });

  it('takes what is documented, and refusals of what no operation is', async () => {
    expect((await test.client.get('/api/v1/lies/nothing')).status).toBe(200);
    expect((await test.client.get('/api/v1/no/such/route')).status).toBe(404);
    expect((await test.client.delete('/api/v1/health')).status).toBe(405);
    expect((await test.client.send('HEAD', '/api/v1/health')).status).toBe(200);
  });
});
