import {
  AuthEvent,
  column,
  ConflictError,
  defineMigration,
  definePage,
  definePortalModule,
  defineRoute,
  field,
  ForbiddenError,
  Joi,
  LoginSucceededEvent,
  option,
  Redirect,
  returnPath,
  View,
  type AuthAccount,
} from '../../src/index.js';

/** What the module of these tests has seen and keeps; one for each portal. */
export interface Memory {
  readonly seen: string[];
  /** Accounts on their way through its challenge, by token. */
  readonly waiting: Map<string, AuthAccount>;
  stopped: boolean;
}

const emailOf = (email: string, mark: string) => email.startsWith(mark);

/** A module that uses every door there is, each in the shortest way. */
export function gateModule(memory: Memory, templates: string) {
  return definePortalModule({
    name: 'turnstile',
    config: {
      greeting: option.text('hello', 'What the route says.'),
      secret: option.text('', 'Never shown.', { secret: true }),
      answers: option.integer(42, 'The answer to its challenge.'),
    },
    check: ({ greeting }) =>
      greeting === 'rude' ? [{ setting: 'greeting', what: 'must be polite', fix: 'say hello' }] : [],
    migrations: {
      '20260201000100-create-turnstile-passes': defineMigration({
        up: (schema) =>
          schema.createTable('turnstile_passes', { columns: { id: column.id(), email: column.string(254) } }),
        down: (schema) => schema.dropTable('turnstile_passes'),
      }),
    },
    templates,
    permissions: [{ name: 'portal.turnstiles.view', description: 'View turnstiles' }],
    commands: [
      {
        name: 'turnstile:count',
        summary: 'count the passes',
        description: 'Counts the passes.',
        example: 'portal turnstile:count',
        arguments: { prefix: { description: 'of addresses', optional: true } },
        run: async ({ portal, args, line, json }) => {
          const [row] = await portal.database.select<{ count: number }>(
            'SELECT COUNT(*) AS count FROM turnstile_passes WHERE email LIKE ?',
            [`${args.prefix ?? ''}%`],
          );
          line(`${row?.count} passes`);
          json({ count: row?.count });
        },
      },
    ],
    register: ({ options, events, database, services, keys, address }) => {
      events.on(LoginSucceededEvent, ({ email }) => void memory.seen.push(`after ${email}`));
      events.within(LoginSucceededEvent, async ({ email }, transaction) => {
        await database.execute('INSERT INTO turnstile_passes (email) VALUES (?)', [email], { transaction });
      });
      events.within(AuthEvent, ({ email }) => {
        if (email !== null && emailOf(email, 'forbidden')) throw new ConflictError();
      });
      const passed = async (token: string, answer: string) => {
        const account = memory.waiting.get(token);
        return answer === String(options.answers) && account ? account : null;
      };
      return {
        routes: [
          defineRoute({
            method: 'get',
            path: '/turnstile',
            context: 'consumer',
            auth: 'none',
            operation: 'showTurnstile',
            tag: 'Turnstile',
            summary: 'Greet',
            reply: { 200: Joi.object().unknown() },
            handle: () => ({
              says: options.greeting,
              keys: keys('turnstile').length,
              page: address.page('/turnstile'),
            }),
          }),
          defineRoute({
            method: 'post',
            path: '/auth/turnstile',
            context: 'consumer',
            auth: 'none',
            operation: 'passTurnstile',
            tag: 'Turnstile',
            summary: 'Meet the challenge',
            body: Joi.object<{ token: string; answer: string }>({
              token: Joi.string().max(64).required(),
              answer: Joi.string().max(64).required(),
            }),
            reply: { 200: Joi.object().unknown() },
            errors: [403],
            handle: async ({ body, request }) => {
              const account = await passed(body.token, body.answer);
              if (!account) throw new ForbiddenError();
              await services.auth.flow.completeLogin(account, request);
              const { accessToken } = await services.auth.flow.issueForUser(account, request);
              return { access_token: accessToken };
            },
          }),
          defineRoute({
            method: 'get',
            path: '/turnstiles',
            context: 'admin',
            policy: ['view', 'turnstiles'],
            operation: 'listTurnstiles',
            tag: 'Turnstile',
            summary: 'List',
            reply: { 200: Joi.object().unknown() },
            handle: () => ({}),
          }),
        ],
        pages: [
          definePage({
            method: 'get',
            path: '/turnstile',
            audience: 'everyone',
            handle: async () => new View('turnstile', { answers: options.answers }),
          }),
          definePage({
            method: 'get',
            path: '/login/turnstile',
            audience: 'guests',
            handle: async ({ session }) => new View('turnstile', { token: session.challenge }),
          }),
          definePage({
            method: 'post',
            path: '/login/turnstile',
            audience: 'guests',
            handle: async (visit) => {
              const { session, request } = visit;
              const account = await passed(session.challenge ?? '', field(request, 'answer'));
              if (!account) return new View('turnstile', { token: 'refused' }, { status: 422 });
              await services.auth.flow.completeLogin(account, request.info);
              await session.signIn(account);
              return new Redirect(returnPath(visit) ?? '/dashboard');
            },
          }),
        ],
        loginSteps: [
          async (account) => {
            if (emailOf(account.email, 'unwelcome')) return { kind: 'refused', reason: 'credentials' };
            if (!emailOf(account.email, 'challenged')) return null;
            const token = `token-of-${account.id}`;
            memory.waiting.set(token, account);
            const page = { path: '/login/turnstile', token, lifetime: 300 };
            return {
              kind: 'challenge',
              data: { challenge_token: token, expires_in: 300 },
              message: 'Turnstile.',
              page,
            };
          },
        ],
        gates: [
          async (actor, { surface, name }) => {
            if (actor.context === 'admin' || !emailOf(actor.user.email, 'gated')) return null;
            const isOpen = surface === 'api' ? name === 'logout' : name === 'post /logout';
            return isOpen ? null : { error: new ForbiddenError({ message: 'Turnstile closed.' }), page: '/turnstile' };
          },
        ],
        stepUp: {
          question: async (actor) =>
            actor.context === 'consumer' && emailOf(actor.user.email, 'careful')
              ? { words: 'turnstile.question' }
              : null,
          verify: async (_actor, answer) => answer === String(options.answers),
        },
        authFlow: (flow) => ({
          mayRegister: (candidate, request) =>
            emailOf(candidate.email, 'uninvited')
              ? Promise.resolve('Not invited.')
              : flow.mayRegister(candidate, request),
          authenticate: (input, context, request) => {
            memory.seen.push(`asked ${input.email}`);
            return flow.authenticate(input, context, request);
          },
          obstacleTo: (account, request) => flow.obstacleTo(account, request),
          continueLogin: (account, request) => flow.continueLogin(account, request),
          completeLogin: (account, request) => flow.completeLogin(account, request),
          attemptLogin: (input, context, request) => flow.attemptLogin(input, context, request),
          issueForUser: (account, request) => flow.issueForUser(account, request),
          refresh: (token, context, request) => flow.refresh(token, context, request),
          logout: (token, owner, request) => flow.logout(token, owner, request),
        }),
        loginLinks: [{ path: '/turnstile', words: 'turnstile.sign-in', name: 'Acme' }],
        accountLinks: [{ path: '/turnstile', words: 'turnstile.title' }],
        jobs: [
          {
            name: 'turnstile-sweep',
            every: 60,
            exclusive: true,
            run: async () => void (await database.execute('DELETE FROM turnstile_passes')),
          },
        ],
        stop: async () => {
          memory.stopped = true;
        },
      };
    },
  });
}
