import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  authFlowContract,
  createAdmin,
  describeContract,
  importSource,
  startTestPortal,
  TEST_PASSWORD,
} from 'portalkit/testing';

/** @typedef {import('portalkit/testing').TestPortal} TestPortal */
/** @typedef {typeof import('../src/{{name}}-auth-flow.js')} Source */

/** @param {string[]} adminNetworks */
async function portalFor(adminNetworks) {
  const source = await importSource('../src/{{name}}-auth-flow.ts', import.meta.url);
  const { {{Name}}AuthFlow } = /** @type {Source} */ (/** @type {unknown} */ (source));
  /** @type {import('portalkit').PortalDefinition} */
  const definition = { authFlow: (parts) => new {{Name}}AuthFlow(parts, { adminNetworks }) };
  return startTestPortal({ definition });
}

describe('{{Name}}AuthFlow', () => {
  /** @type {TestPortal} */
  let test;
  before(async () => {
    test = await portalFor(['10.0.0.0/8']);
  });
  after(() => test?.stop());

  /** @param {TestPortal} portal @param {string} email */
  const login = async ({ api }, email) =>
    (await api('post', '/admin/auth/login', { body: { email, password: TEST_PASSWORD } })).status;

  it('keeps admins of other networks out, as after a wrong password', async () => {
    const { email } = await createAdmin(test);
    assert.equal(await login(test, email), 401);
  });

  it('lets them in from inside', async () => {
    const inside = await portalFor(['127.0.0.0/8', '::1']);
    const { email } = await createAdmin(inside);
    assert.equal(await login(inside, email), 200);
    await inside.stop();
  });

  // What every AuthFlow promises.
  describeContract('as an AuthFlow', authFlowContract(() => test), { describe, it });
});
