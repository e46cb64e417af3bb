import {
  definePage,
  field,
  Redirect,
  requireFields,
  returnField,
  returnPath,
  View,
  type FormState,
  type Page,
  type Visit,
} from '../../../index.js';
import type { ChallengePurpose } from '../challenges.js';
import { InvalidChallengeError } from '../errors.js';
import { FACTOR_TYPES, type FactorType } from '../factor.js';
import type { LoginGate } from '../login-gate.js';
import { codeForm, codesView } from './views.js';

type Guest = Visit<null>;
type Half = Awaited<ReturnType<LoginGate['open']>>;

const OVER = new Redirect('/login', 'mfa-over');
const guests = { audience: 'guests' } as const;

/** The second half of a login in the browser, which has nothing but the cookie of the challenge (S76). */
export function challengePages(gate: LoginGate): readonly Page[] {
  // Without an open challenge there is nothing to ask for: back to the password.
  const within = async <T>(visit: Guest, purpose: ChallengePurpose, work: (half: Half) => Promise<T>) => {
    const token = visit.session.challenge;
    if (token === null) return OVER;
    try {
      return await work(await gate.open(token, purpose, 'consumer'));
    } catch (error) {
      if (error instanceof InvalidChallengeError) return OVER;
      throw error;
    }
  };
  const limited = (visit: Guest) => visit.services.auth.guard.throttle('credentials', visit.request.info);

  const challengeForm = async (visit: Guest, { account }: Half, state: Partial<FormState> = {}) => {
    const types = await gate.factorsOf(account);
    const { errors, problem, retryAfter, status = 200 } = state;
    const values = { errors, problem, retryAfter, hasTotp: types.includes('totp'), hasEmail: types.includes('email') };
    return new View('mfa-challenge', { ...values, returnTo: returnField(visit) }, { status });
  };

  const enrolForm = (visit: Guest, { account }: Half, state: Partial<FormState> = {}) => {
    const { errors, problem, retryAfter, status = 200 } = state;
    const values = { errors, problem, retryAfter, email: account.email, returnTo: returnField(visit) };
    return Promise.resolve(new View('mfa-enrol', values, { status }));
  };

  /** A form shown again needs its challenge again; a view in its place says that it is over. */
  const again =
    (purpose: ChallengePurpose, form: (visit: Guest, half: Half, state: FormState) => Promise<View>) =>
    async (visit: Guest, state: FormState): Promise<View> => {
      const outcome = await within(visit, purpose, (half) => form(visit, half, state));
      return outcome instanceof View ? outcome : new View('mfa-over', {}, { status: 422 });
    };

  const codeAgain = again('enrol', (visit, _half, state) => {
    return Promise.resolve(codeForm(enrolling(visit, factorOf(visit)), state));
  });

  const pages = [
    definePage({
      ...guests,
      method: 'get',
      path: '/login/mfa',
      handle: (visit) => within(visit, 'login', (half) => challengeForm(visit, half)),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: '/login/mfa',
      handle: async (visit) => {
        await limited(visit);
        return within(visit, 'login', async (half) => {
          requireFields(visit.request, ['code']);
          const code = field(visit.request, 'code').slice(0, 64);
          await visit.session.signIn(await gate.verify(half, { code }, visit.request.info));
          return new Redirect(returnPath(visit) ?? '/dashboard');
        });
      },
      retry: again('login', challengeForm),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: '/login/mfa/resend',
      handle: async (visit) => {
        await limited(visit);
        return within(visit, 'login', async (half) => {
          await gate.resend(half, visit.locale);
          const back = returnField(visit);
          return new Redirect(
            `/login/mfa${back === null ? '' : `?return_to=${encodeURIComponent(back)}`}`,
            'mfa-code-sent',
          );
        });
      },
      retry: again('login', challengeForm),
    }),
    definePage({
      ...guests,
      method: 'get',
      path: '/login/mfa/enrol',
      handle: (visit) => within(visit, 'enrol', (half) => enrolForm(visit, half)),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: '/login/mfa/enrol/totp',
      handle: async (visit) => {
        await limited(visit);
        return within(visit, 'enrol', async (half) =>
          codeForm(enrolling(visit, 'totp'), {}, await gate.beginTotp(half)),
        );
      },
      retry: again('enrol', enrolForm),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: '/login/mfa/enrol/email',
      handle: async (visit) => {
        await limited(visit);
        return within(visit, 'enrol', async (half) => {
          await gate.send(half, visit.locale);
          return codeForm(enrolling(visit, 'email'));
        });
      },
      retry: again('enrol', enrolForm),
    }),
  ];

  const confirm = FACTOR_TYPES.map((factor) =>
    definePage({
      ...guests,
      method: 'post',
      path: `/login/mfa/enrol/${factor}/confirm`,
      handle: async (visit) => {
        await limited(visit);
        return within(visit, 'enrol', async (half) => {
          requireFields(visit.request, ['code']);
          const code = field(visit.request, 'code').slice(0, 64);
          const enrolled = await gate.enrol(half, factor, code, visit.request.info, visit.locale);
          await visit.session.signIn(enrolled.account);
          const next = returnPath(visit) ?? '/dashboard';
          return enrolled.recoveryCodes ? codesView(enrolled.recoveryCodes, next) : new Redirect(next);
        });
      },
      retry: codeAgain,
    }),
  );

  return [...pages, ...confirm];
}

function enrolling(visit: Guest, factor: FactorType) {
  return {
    factor,
    action: `/login/mfa/enrol/${factor}/confirm`,
    back: '/login/mfa/enrol',
    returnTo: returnField(visit),
  };
}

function factorOf({ request }: Guest): FactorType {
  return request.segments.includes('totp') ? 'totp' : 'email';
}
