import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  authFlowContract,
  createDeveloper,
  describeContract,
  importSource,
  startTestPortal,
  TEST_PASSWORD,
} from 'portalkit/testing';

/** @typedef {typeof import('../src/auth-flow.js')} Source */

describe('ProjectAuthFlow', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    const source = await importSource('../src/auth-flow.ts', import.meta.url);
    const { ProjectAuthFlow } = /** @type {Source} */ (/** @type {unknown} */ (source));
    /** @type {import('portalkit').PortalDefinition} */
    const definition = { authFlow: (parts) => new ProjectAuthFlow(parts, { emailDomains: ['acme.example'] }) };
    test = await startTestPortal({ definition });
  });
  after(() => test?.stop());

  let people = 0;
  const colleague = () => ({ email: `colleague-${(people += 1)}@acme.example` });
  /** @param {string} email */
  const login = async (email) => {
    const { status, body } = await test.api('post', '/auth/login', { body: { email, password: TEST_PASSWORD } });
    return [status, body.message];
  };

  it('lets addresses of its domains in', async () => {
    const { email } = await createDeveloper(test, colleague());
    assert.deepEqual(await login(email), [200, 'Logged in.']);
  });

  it('tells others the same as after a wrong password', async () => {
    const { email } = await createDeveloper(test, { email: 'somebody@elsewhere.example' });
    assert.deepEqual(await login(email), [401, 'Invalid credentials.']);
  });

  it('lets nobody register who could not sign in, and says why at the e-mail field', async () => {
    const email = 'new@elsewhere.example';
    const password = { password: TEST_PASSWORD, password_confirmation: TEST_PASSWORD };
    const body = { first_name: 'Ada', last_name: 'Lovelace', email, ...password };
    const refused = await test.api('post', '/auth/register', { body });
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['email']]);
    assert.equal(await test.portal.services.accounts.users.findByEmail(email), null);
    const welcome = await test.api('post', '/auth/register', { body: { ...body, ...colleague() } });
    assert.equal(welcome.status, 201);
  });

  // What every AuthFlow promises, for people whom the rule lets in.
  describeContract(
    'as an AuthFlow',
    authFlowContract(() => test, { welcome: colleague }),
    { describe, it },
  );
});
