import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDeveloper,
  createProduct,
  describeContract,
  gatewayDriverContract,
  importSource,
  signIn,
  startTestPortal,
} from 'portalkit/testing';

/** @typedef {typeof import('../src/gateways/{{name}}-gateway.js')} Source */

describe('the gateway {{name}}', () => {
  /** @type {InstanceType<Source['{{Name}}Gateway']>} */
  let gateway;
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    const source = await importSource('../src/gateways/{{name}}-gateway.ts', import.meta.url);
    const { {{Name}}Gateway } = /** @type {Source} */ (/** @type {unknown} */ (source));
    gateway = new {{Name}}Gateway();
    /** @type {import('portalkit').PortalDefinition} */
    const definition = { gatewayDrivers: { '{{name}}': () => gateway } };
    test = await startTestPortal({ definition, settings: { 'gateway.driver': '{{name}}' } });
  });
  after(() => test?.stop());

  it('holds the keys of the portal: issued, revoked, approved again, rotated, deleted', async () => {
    const token = await signIn(test, await createDeveloper(test));
    const { slug, gatewayProductId } = await createProduct(test, { gatewayProductId: 'gw-one' });
    /** @param {string} method @param {string} path @param {object} [body] */
    const send = (method, path, body = {}) => test.api(method, `/me/apps${path}`, { token, body });
    /** @param {string} key */
    const opens = (key) => gateway.opens(key, gatewayProductId, test.clock.now());

    const created = await send('post', '', { name: 'checkout', products: [slug] });
    assert.equal(created.status, 201);
    const [{ id, consumer_key: key }] = created.body.data.credentials;
    assert.equal(opens(key), true);
    assert.equal((await send('post', `/checkout/credentials/${id}/revoke`)).status, 200);
    assert.equal(opens(key), false);
    assert.equal((await send('post', `/checkout/credentials/${id}/approve`)).status, 200);
    assert.equal(opens(key), true);

    const rotated = await send('post', `/checkout/credentials/${id}/rotate`, { overlap: 60 });
    assert.equal(rotated.status, 201);
    assert.deepEqual([opens(key), opens(rotated.body.data.consumer_key)], [true, true]);
    test.clock.advance(61);
    assert.deepEqual([opens(key), opens(rotated.body.data.consumer_key)], [false, true]);
    assert.equal((await test.api('delete', '/me/apps/checkout', { token })).status, 200);
    assert.equal(opens(rotated.body.data.consumer_key), false);
  });

  /** @returns {import('portalkit/testing').GatewaySubject} */
  const subject = () => ({
    driver: gateway,
    products: ['gw-one', 'gw-two'],
    opens: async ({ consumerKey }, product) => gateway.opens(consumerKey, product, test.clock.now()),
    advance: (seconds) => test.clock.advance(seconds),
    now: () => test.clock.now(),
  });
  // What every driver promises; the same as `portal gateway:test`.
  describeContract('as a GatewayDriver', gatewayDriverContract(subject), { describe, it });
});
