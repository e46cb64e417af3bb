import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
});
afterAll(() => test.stop());

describe('the health endpoints', () => {
  it('answer with the envelope', async () => {
    const answer = await test.client.get('/api/v1/health');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, status: 200, message: '', data: { status: 'ok' }, meta: null });
  });

  it('call a migrated portal ready', async () => {
    const answer = await test.client.get('/api/v1/health/ready');
    expect([answer.status, answer.json.data]).toEqual([200, { status: 'ready' }]);
  });

  it('call a portal with pending migrations not ready, and say nothing more', async () => {
    await test.portal.migrator.rollback({ steps: 1 });
    const fresh = await startTestPortal({ databaseUrl: test.databaseUrl });
    const answer = await fresh.client.get('/api/v1/health/ready');
    const products = await fresh.client.get('/api/v1/api-products');
    const verify = await fresh.client.get('/gateway/verify');
    await fresh.stop();
    await test.portal.migrator.up();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.json).toEqual({
      success: false,
      status: 503,
      message: 'Service unavailable.',
      errors: {},
      meta: null,
    });
    expect([products.status, verify.status]).toEqual([503, 503]);
    expect((await test.client.get('/api/v1/health/live')).status).toBe(200);
  });
});
