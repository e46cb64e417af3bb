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
import { FACTOR_TYPES, type FactorType } from './factor.js';
import type { LoginGate } from './login-gate.js';
import { OpenChallenge, type Guest, type Half } from './open-challenge.js';
import { codeForm, codePage, leadToCodes, leadToSetup } from './views.js';

const PATH = '/login/mfa/enrol';
const guests = { audience: 'guests' } as const;

/** Sets up the first factor during a login that requires one, so that nobody is locked out or gets in without (S79). */
export function enrolmentPages(gate: LoginGate, context: AuthContext): readonly Page[] {
  const challenge = new OpenChallenge(gate, 'enrol', context);
  const again = challenge.showAgain(choice);
  return [
    definePage({
      ...guests,
      method: 'get',
      path: PATH,
      handle: (visit) => challenge.useChallenge(visit, (half) => choice(visit, half)),
    }),
    definePage({
      ...guests,
      method: 'post',
      path: `${PATH}/totp`,
      handle: (visit) =>
        challenge.useForSubmit(visit, async (half) => leadToSetup(codePath(visit, 'totp'), await gate.beginTotp(half))),
      retry: again,
    }),
    definePage({
      ...guests,
      method: 'post',
      path: `${PATH}/email`,
      handle: (visit) =>
        challenge.useForSubmit(visit, async (half) => {
          await gate.send(half, visit.locale);
          return new Redirect(codePath(visit, 'email'));
        }),
      retry: again,
    }),
    ...FACTOR_TYPES.map((factor) =>
      definePage({
        ...guests,
        method: 'get',
        path: `${PATH}/${factor}`,
        handle: (visit) => challenge.useChallenge(visit, () => codePage(visit, showConfirmation(visit, factor))),
      }),
    ),
    ...FACTOR_TYPES.map((factor) => confirmPage(gate, challenge, factor)),
  ];
}

function confirmPage(gate: LoginGate, challenge: OpenChallenge, factor: FactorType): Page {
  return definePage({
    ...guests,
    method: 'post',
    path: `${PATH}/${factor}/confirm`,
    handle: (visit) =>
      challenge.useForSubmit(visit, async (half) => {
        requireFields(visit.request, ['code']);
        const code = field(visit.request, 'code').slice(0, 64);
        const enrolled = await gate.enrol(half, factor, code, visit.request.info, visit.locale);
        await visit.session.signIn(enrolled.account);
        const next = returnPath(visit) ?? visit.home;
        return enrolled.recoveryCodes ? leadToCodes(enrolled.recoveryCodes, next) : new Redirect(next);
      }),
    retry: challenge.showAgain((visit, _half, state) =>
      Promise.resolve(codeForm(showConfirmation(visit, factor), state)),
    ),
  });
}

function choice(visit: Guest, { account }: Half, state: Partial<FormState> = {}): Promise<View> {
  const { errors, problem, retryAfter, status = 200 } = state;
  const values = { errors, problem, retryAfter, email: account.email, returnTo: returnField(visit) };
  return Promise.resolve(new View('mfa-enrol', values, { status }));
}

function codePath(visit: Guest, factor: FactorType): string {
  const back = returnField(visit);
  return `${PATH}/${factor}${back === null ? '' : `?return_to=${encodeURIComponent(back)}`}`;
}

function showConfirmation(visit: Guest, factor: FactorType) {
  return { factor, action: `${PATH}/${factor}/confirm`, back: PATH, returnTo: returnField(visit) };
}
