import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeveloper, createProduct, signIn, startTestPortal } from 'portalkit/testing';

describe('the partner API', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    test = await startTestPortal();
  });
  after(() => test?.stop());

  it('lists products as JSON:API, and only those that the visitor may see', async () => {
    const { slug, name } = await createProduct(test);
    await createProduct(test, { visibility: 'private' });
    const { headers, body } = await test.api('get', '/partner/products');
    assert.equal(headers.get('content-type'), 'application/vnd.api+json');
    assert.deepEqual(body, {
      data: [{ type: 'products', id: slug, attributes: { name, tags: [] } }],
      meta: { total: 1 },
    });
  });

  it('creates an app whose key opens the gateway', async () => {
    const token = await signIn(test, await createDeveloper(test));
    const { slug } = await createProduct(test);
    const sent = { token, body: { title: 'Trip planner', products: [slug] } };
    const { status, body } = await test.api('post', '/partner/apps', sent);
    assert.equal(status, 201);
    assert.equal(body.data.id, 'trip-planner');
    const headers = { 'x-api-key': body.data.attributes.apiKey };
    assert.equal((await fetch(`${test.url}/gateway/verify/${slug}`, { headers })).status, 200);
  });

  it('keeps the checks of the portal: token, validation, and the envelope of errors', async () => {
    assert.equal((await test.api('post', '/partner/apps', { body: {} })).status, 401);
    const token = await signIn(test, await createDeveloper(test));
    const { status, body } = await test.api('post', '/partner/apps', { token, body: { title: 'x', products: [] } });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body.errors), ['products']);
  });
});
