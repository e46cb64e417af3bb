import {
  definePage,
  field,
  Redirect,
  requireFields,
  returnField,
  returnPath,
  View,
  type AuthContext,
  type FormState,
  type Page,
} from '../../index.js';
import type { LoginGate } from './login-gate.js';
import { OpenChallenge, type Guest, type Half } from './open-challenge.js';

const PATH = '/login/mfa';
const guests = { audience: 'guests' } as const;

/** The second step of a login in the browser, which has only the challenge's cookie (S76). */
export function challengePages(gate: LoginGate, context: AuthContext): readonly Page[] {
  const challenge = new OpenChallenge(gate, 'login', context);
  const form = async (visit: Guest, { account }: Half, state: Partial<FormState> = {}) => {
    const types = await gate.factorsOf(account);
    const { errors, problem, retryAfter, status = 200 } = state;
    const values = { errors, problem, retryAfter, hasTotp: types.includes('totp'), hasEmail: types.includes('email') };
    return new View('mfa-challenge', { ...values, returnTo: returnField(visit) }, { status });
  };
  return [
    definePage({
      ...guests,
      method: 'get',
      path: PATH,
      handle: (visit) => challenge.useChallenge(visit, (half) => form(visit, half)),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: PATH,
      handle: (visit) =>
        challenge.useForSubmit(visit, async (half) => {
          requireFields(visit.request, ['code']);
          const code = field(visit.request, 'code').slice(0, 64);
          await visit.session.signIn(await gate.verify(half, { code }, visit.request.info));
          return new Redirect(returnPath(visit) ?? visit.home);
        }),
      retry: challenge.showAgain(form),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: `${PATH}/resend`,
      handle: (visit) =>
        challenge.useForSubmit(visit, async (half) => {
          await gate.resend(half, visit.locale);
          const back = returnField(visit);
          const query = back === null ? '' : `?return_to=${encodeURIComponent(back)}`;
          return new Redirect(PATH + query, 'mfa-code-sent');
        }),
      retry: challenge.showAgain(form),
    }),
  ];
}
