import { Argon2Hasher, type PasswordHasher } from '../../src/domain/accounts/index.js';
import { AuthFlow, defineConfig, ForbiddenError, MailRefusedError, TokenService } from '../../src/index.js';
import {
  apiAuthorizerContract,
  assertContract,
  authFlowContract,
  createAdmin,
  createDeveloper,
  createProduct,
  describeContract,
  mailerContract,
  passwordHasherContract,
  signIn,
  startTestPortal,
  tokenServiceContract,
  type DeliveredMail,
  type TestPortal,
} from '../../src/testing/index.js';

const runner = { describe, it };
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ definition: {} });
});
afterAll(() => test.stop());

describeContract(
  'the AuthFlow that ships',
  authFlowContract(() => test),
  runner,
);
describeContract(
  'the TokenService that ships',
  tokenServiceContract(() => test),
  runner,
);
describeContract(
  'the authorizer that ships',
  apiAuthorizerContract(() => test),
  runner,
);
describeContract(
  'the hasher that ships',
  passwordHasherContract(() => new Argon2Hasher()),
  runner,
);
describeContract(
  'a mailer in memory',
  mailerContract(async () => {
    const mails: DeliveredMail[] = [];
    const send = async (mail: DeliveredMail) => {
      if (mail.to === 'nobody@example.com') throw new MailRefusedError('no such mailbox');
      mails.push(mail);
    };
    return { mailer: { send }, delivered: async () => mails, refused: 'nobody@example.com' };
  }),
  runner,
);

describe('a portal for the tests of hosts', () => {
  it('answers on a free port with what the factories made', async () => {
    const token = await signIn(test, await createDeveloper(test, { firstName: 'Zoë' }));
    expect((await test.api('get', '/me', { token })).body.data).toMatchObject({ first_name: 'Zoë' });
    const { slug } = await createProduct(test);
    expect((await test.api('get', `/api-products/${slug}`)).status).toBe(200);
    const admin = await createAdmin(test, { roles: ['auditor'] });
    const get = await test.api('get', '/admin/users', { token: await signIn(test, admin) });
    expect(get.status).toBe(200);
  });

  it('takes a definition, and settings that beat it', async () => {
    const definition = defineConfig({ app: { name: 'Acme' }, accounts: { registration: true } });
    const other = await startTestPortal({ definition, settings: { 'accounts.registration': 'false' } });
    const { name, features } = (await other.api('get', '/config')).body.data;
    expect([name, features.registration]).toEqual(['Acme', false]);
    await other.stop();
  });
});

/** Names of the promises that are broken. */
async function broken(name: string, run: () => Promise<void>): Promise<string[]> {
  try {
    await run();
    return [];
  } catch (error) {
    return (error as AggregateError).errors.map(({ message }: Error) => message.replace(`${name}: `, ''));
  }
}

describe('the contracts find', () => {
  it('a hasher that cuts, keeps and throws', async () => {
    const bad: PasswordHasher = {
      hash: async (password) => `plain:${password.slice(0, 72)}`,
      verify: async (password, stored) => {
        if (stored === '') throw new Error('no hash');
        return { matches: stored === `plain:${password.slice(0, 72)}`, outdated: false };
      },
      verifyNothing: async () => undefined,
    };
    expect(
      await broken('bad', () =>
        assertContract(
          'bad',
          passwordHasherContract(() => bad),
        ),
      ),
    ).toEqual([
      'refuses every other password, also one that differs late, in case, or after a NUL',
      'salts: the same password never has the same hash twice, and no hash shows it',
      'lets no absurd hash match, and throws for none',
    ]);
  });

  it('a mailer that loses mails', async () => {
    const start = async () => ({ mailer: { send: async () => undefined }, delivered: async () => [] });
    expect(await broken('lossy', () => assertContract('lossy', mailerContract(start)))).toHaveLength(3);
  });

  it('a flow that tells inactive accounts apart and lets registration pass its rule', async () => {
    const other = await startTestPortal({
      definition: defineConfig({
        authFlow: (parts) =>
          new (class extends AuthFlow {
            override async authenticate(...[input, context, request]: Parameters<AuthFlow['authenticate']>) {
              const stored = await parts.directory.findByEmail(context, input.email);
              if (stored?.account.context === 'consumer' && stored.account.user.status === 'inactive') {
                return { kind: 'refused', reason: 'email-not-verified' } as const;
              }
              const outcome = await super.authenticate(input, context, request);
              if (outcome.kind !== 'account') return outcome;
              return {
                kind: 'challenge',
                data: { challenge_token: 'more', expires_in: 300 },
                message: 'More.',
              } as const;
            }
          })(parts),
      }),
    });
    const names = await broken('leaky', () =>
      assertContract(
        'leaky',
        authFlowContract(() => other),
      ),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'says the same for a wrong password, an unknown address and an inactive account (S08)',
        'asks the same of an account that proved itself otherwise (S79)',
      ]),
    );
    await other.stop();
  });

  it('tokens of the wrong context, and an authorizer without default deny', async () => {
    const other = await startTestPortal({
      definition: defineConfig({
        tokenService: (parts) =>
          new (class extends TokenService {
            override verify(token: string) {
              return super.verify(token, 'consumer');
            }
          })(parts),
        authorizer: () => ({
          authorize: async (_admin, ability) => {
            if (ability === 'delete') throw new ForbiddenError();
          },
        }),
      }),
    });
    expect(
      await broken('tokens', () =>
        assertContract(
          'tokens',
          tokenServiceContract(() => other),
        ),
      ),
    ).toEqual(['takes no access token that is forged, foreign, or of the other context']);
    const denied = await broken('rights', () =>
      assertContract(
        'rights',
        apiAuthorizerContract(() => other),
      ),
    );
    expect(denied).toContain('refuses abilities and resources that it does not know');
    await other.stop();
  });
});
