import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAdmin, createDeveloper, signIn, startTestPortal } from 'portalkit/testing';

describe('reviews', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  let admin = '';
  before(async () => {
    test = await startTestPortal();
    admin = await signIn(test, await createAdmin(test, { roles: ['admin'] }));
  });
  after(() => test?.stop());

  /** @param {string} method @param {string} path @param {object} [body] */
  const send = (method, path, body) => test.api(method, `/admin${path}`, { token: admin, ...(body && { body }) });

  it('come before an approval, stage by stage, whoever approves', async () => {
    const developer = await createDeveloper(test);
    const token = await signIn(test, developer);
    const { body: made } = await test.api('post', '/me/apps', { token, body: { name: 'checkout' } });
    assert.equal(made.data.status, 'pending');

    const approve = () => send('post', `/users/${developer.id}/apps/checkout/approve`);
    const refused = await approve();
    assert.deepEqual([refused.status, refused.body.errors], [409, { stage: ['The app waits for legal.'] }]);

    assert.deepEqual((await send('get', '/reviews')).body.data, [{ app_id: made.data.id, stage: 'legal' }]);
    /** @param {string} stage */
    const clear = (stage) => send('post', `/reviews/${made.data.id}/clear`, { stage });
    assert.equal((await clear('business')).status, 409);
    assert.equal((await clear('legal')).body.data.stage, 'business');
    assert.equal((await approve()).status, 409);
    assert.equal((await clear('business')).body.data.stage, 'cleared');

    assert.equal((await approve()).status, 200);
    assert.equal((await test.api('get', '/me/apps/checkout', { token })).body.data.status, 'approved');
  });

  it('are for admins who may change apps', async () => {
    const auditor = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
    assert.equal((await test.api('get', '/admin/reviews', { token: auditor })).status, 200);
    const { status } = await test.api('post', '/admin/reviews/1/clear', { token: auditor, body: { stage: 'legal' } });
    assert.equal(status, 403);
  });
});
