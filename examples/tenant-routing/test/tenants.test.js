import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeveloper, createProduct, signIn, startTestPortal } from 'portalkit/testing';

describe('tenants', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  /** Tokens of a developer of each tenant. @type {Record<string, string>} */
  const tokens = {};
  before(async () => {
    test = await startTestPortal();
    for (const name of ['north', 'south']) {
      const developer = await createDeveloper(test);
      await createProduct(test, { slug: `${name}-rates`, visibility: 'private' });
      await test.portal.services.catalog.audiences.create({
        name,
        users: [developer.email],
        products: [`${name}-rates`],
      });
      tokens[name] = await signIn(test, developer);
    }
  });
  after(() => test?.stop());

  /** @param {string} as @param {string} path */
  const get = (as, path) => test.api('get', path, { token: tokens[as] });

  it('show their developers what is theirs', async () => {
    assert.deepEqual((await get('north', '/tenants')).body.data, ['north']);
    const { data } = (await get('north', '/tenants/north/products')).body;
    assert.deepEqual(
      data.map(/** @param {{ slug: string }} product */ ({ slug }) => slug),
      ['north-rates'],
    );
  });

  it('do not exist for anybody else', async () => {
    const foreign = await get('north', '/tenants/south/products');
    const missing = await get('north', '/tenants/nowhere/products');
    assert.deepEqual([foreign.status, foreign.body], [404, missing.body]);
  });

  it('give keys for their own products only', async () => {
    const token = tokens['south'] ?? '';
    /** @param {string} name @param {string} slug */
    const create = (name, slug) => test.api('post', '/tenants/south/apps', { token, body: { name, products: [slug] } });
    const made = await create('one', 'south-rates');
    assert.deepEqual([made.status, made.body.data.app], [201, 'south.one']);
    const headers = { 'x-api-key': made.body.data.key };
    assert.equal((await fetch(`${test.url}/gateway/verify/south-rates`, { headers })).status, 200);
    assert.equal((await create('two', 'north-rates')).status, 422);
  });
});
