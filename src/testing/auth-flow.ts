import assert from 'node:assert/strict';
import {
  LoginAttemptedEvent,
  LoginFailedEvent,
  LoginSucceededEvent,
  type AuthAccount,
  type AuthFlowInterface,
} from '../domain/auth/index.js';
import { UnauthenticatedError } from '../core/index.js';
import type { ContractCheck } from './contract.js';
import { createDeveloper, TEST_PASSWORD, type DeveloperOverrides } from './factories.js';
import type { TestPortal } from './test-portal.js';
import { someRequest } from './some-request.js';

export interface AuthFlowContractOptions {
  /** Values of a developer who satisfies the host's rules, with a new address each time. */
  readonly welcome?: () => DeveloperOverrides;
}

interface Person {
  readonly email: string;
  readonly account: AuthAccount;
}

const REFUSED = { kind: 'refused', reason: 'credentials' };
const ABSURD = ['', ' ', '@', 'x'.repeat(10_000), '\u0000@example.com', "' OR 1=1 --"];

/**
 * What the authentication flow promises, a host's own `authFlow` included.
 * @param test a portal that runs with it
 */
export function authFlowContract(test: () => TestPortal, options: AuthFlowContractOptions = {}): ContractCheck[] {
  const flow = (): AuthFlowInterface => test().portal.services.auth.flow;
  const someone = async (over: DeveloperOverrides = {}): Promise<Person> => {
    const { id, email } = await createDeveloper(test(), { ...options.welcome?.(), ...over });
    const { account } = await test().portal.services.auth.directory.find({ context: 'consumer', id });
    return { email, account };
  };
  const attempt = (email: string, password = TEST_PASSWORD, context: 'consumer' | 'admin' = 'consumer') =>
    flow().authenticate({ email, password }, context, someRequest());
  const me = async (token: string) => (await test().api('get', '/me', { token })).status;
  return [
    {
      name: 'says of everybody whether they may register: true, or a sentence',
      run: async () => {
        const { email } = await someone();
        for (const candidate of [email, `new-${email}`, 'somebody@elsewhere.example']) {
          const name = { firstName: 'Ada', lastName: 'Lovelace' };
          const answer: unknown = await flow().mayRegister({ email: candidate, ...name }, someRequest());
          assert.ok(answer === true || (typeof answer === 'string' && answer !== ''), String(answer));
        }
      },
    },
    ...outcomes({ someone, attempt, flow }),
    ...signIns({ someone, flow, me }),
    {
      name: 'announces every attempt, and what became of it',
      run: async () => {
        const { email } = await someone();
        const heard: string[] = [];
        for (const type of [LoginAttemptedEvent, LoginFailedEvent, LoginSucceededEvent]) {
          test().portal.events.on(type, (event) => void (event.email === email && heard.push(type.name)));
        }
        await attempt(email, 'wrong');
        assert.deepEqual(heard.splice(0), ['LoginAttemptedEvent', 'LoginFailedEvent']);
        const { kind } = await attempt(email);
        const expected = ['LoginAttemptedEvent', ...(kind === 'account' ? ['LoginSucceededEvent'] : [])];
        assert.deepEqual(heard, expected);
      },
    },
    {
      name: 'gives tokens that open the API, to whom authenticate lets in and to nobody else',
      run: async () => {
        const { email } = await someone();
        const { kind } = await attempt(email);
        const input = { email, password: TEST_PASSWORD };
        const outcome = await flow().attemptLogin(input, 'consumer', someRequest());
        assert.equal(outcome.kind, kind === 'account' ? 'tokens' : kind);
        if (outcome.kind === 'tokens') assert.equal(await me(outcome.tokens.accessToken), 200);
        const wrong = await flow().attemptLogin({ email, password: 'wrong' }, 'consumer', someRequest());
        assert.equal(wrong.kind, 'refused');
      },
    },
  ];
}

interface Subject {
  someone(over?: DeveloperOverrides): Promise<Person>;
  attempt(
    email: string,
    password?: string,
    context?: 'consumer' | 'admin',
  ): ReturnType<AuthFlowInterface['authenticate']>;
  flow(): AuthFlowInterface;
}

function outcomes({ someone, attempt, flow }: Subject): ContractCheck[] {
  return [
    {
      name: 'lets the right password in, or asks for more',
      run: async () => {
        const { email, account } = await someone();
        const outcome = await attempt(email);
        assert.notEqual(outcome.kind, 'refused');
        if (outcome.kind === 'account') assert.equal(outcome.account.id, account.id);
      },
    },
    {
      name: 'says the same for a wrong password, an unknown address and an inactive account (S08)',
      run: async () => {
        const [active, inactive] = [await someone(), await someone({ status: 'inactive' })];
        assert.deepEqual(await attempt(active.email, 'wrong'), REFUSED);
        assert.deepEqual(await attempt(`nobody-${active.email}`), REFUSED);
        assert.deepEqual(await attempt(inactive.email), REFUSED);
      },
    },
    {
      name: 'takes no developer for an admin',
      run: async () => assert.deepEqual(await attempt((await someone()).email, TEST_PASSWORD, 'admin'), REFUSED),
    },
    {
      name: 'throws for no input, however absurd',
      run: async () => {
        for (const text of ABSURD) assert.equal((await attempt(text, text || 'x')).kind, 'refused');
      },
    },
    {
      name: 'asks the same of an account that proved itself otherwise (S79)',
      run: async () => {
        const { email, account } = await someone();
        const { kind } = await attempt(email);
        const obstacle = await flow().obstacleTo(account, someRequest());
        assert.equal(obstacle?.kind ?? 'account', kind);
        assert.equal((await flow().continueLogin(account, someRequest())).kind, kind);
      },
    },
  ];
}

interface SignInSubject extends Pick<Subject, 'someone' | 'flow'> {
  /** Status of `GET /me` with this access token. */
  me(token: string): Promise<number>;
}

function signIns({ someone, flow, me }: SignInSubject): ContractCheck[] {
  return [
    {
      name: 'exchanges refresh tokens, each in its context only',
      run: async () => {
        const { account } = await someone();
        const { refreshToken } = await flow().issueForUser(account, someRequest());
        await assert.rejects(flow().refresh(refreshToken, 'admin', someRequest()), UnauthenticatedError);
        const next = await flow().refresh(refreshToken, 'consumer', someRequest());
        assert.equal(await me(next.accessToken), 200);
      },
    },
    {
      name: 'ends the own sign-in at logout, and says nothing about any other token',
      run: async () => {
        const [{ account }, other] = [await someone(), await someone()];
        const pair = await flow().issueForUser(account, someRequest());
        await flow().logout(pair.refreshToken, other.account, someRequest());
        await flow().logout('garbage', account, someRequest());
        assert.equal(await me(pair.accessToken), 200);
        await flow().logout(pair.refreshToken, account, someRequest());
        assert.equal(await me(pair.accessToken), 401);
      },
    },
  ];
}
