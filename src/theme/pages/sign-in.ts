import { refusalError, type LoginInput } from '../../domain/auth/index.js';
import { deviceIn } from '../cookies.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState, type Visit } from '../page.js';
import { challengePage, requireFields, returnField, returnPath } from './account-forms.js';

/** S04, S11: no account has a longer one, so it is not worth a hash. */
const LONGEST_EMAIL = 254;
const LONGEST_PASSWORD = 512;
const CLEAR = { 'Clear-Site-Data': '"cache", "storage"' };

/** Why a sign-in did not go through: the words `login.refused.<refusal>`. */
type Refusal = 'credentials' | 'email-not-verified' | 'challenge';
const STATUS: Readonly<Record<Refusal, number>> = { credentials: 422, 'email-not-verified': 403, challenge: 403 };

function signInForm(visit: Visit<null>, state: Partial<FormState> = {}, refusal: Refusal | null = null): View {
  const { errors, problem, retryAfter, status = 200 } = state;
  const email = field(visit.request, 'email');
  return new View('login', { email, errors, problem, retryAfter, refusal, returnTo: returnField(visit) }, { status });
}

async function submit(visit: Visit<null>): Promise<Redirect | View> {
  const { request, services, session } = visit;
  await services.auth.guard.throttle('credentials', request.info);
  requireFields(request, ['email', 'password']);
  const typed = { email: field(request, 'email'), password: field(request, 'password') };
  const outcome = await authenticate(visit, { ...typed, device: deviceIn(request.cookies) });
  if (typeof outcome === 'string') return signInForm(visit, { status: STATUS[outcome] }, outcome);
  if (outcome.kind === 'challenge') {
    return challengePage(visit, outcome) ?? signInForm(visit, { status: STATUS.challenge }, 'challenge');
  }
  await session.signIn(outcome.account);
  return new Redirect(returnPath(visit) ?? '/dashboard');
}

async function authenticate({ services, request }: Visit<null>, input: LoginInput) {
  if (input.email.length > LONGEST_EMAIL || input.password.length > LONGEST_PASSWORD) return 'credentials';
  const outcome = await services.auth.flow.authenticate(input, 'consumer', request.info);
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.reason === 'limited') throw refusalError(outcome);
  return outcome.reason;
}

export const signInPages = [
  definePage({
    method: 'get',
    path: '/login',
    audience: 'guests',
    handle: (visit) => Promise.resolve(signInForm(visit)),
  }),
  definePage({
    method: 'post',
    path: '/login',
    audience: 'guests',
    handle: submit,
    retry: (visit, state) => Promise.resolve(signInForm(visit, state)),
  }),
  definePage({
    method: 'post',
    path: '/logout',
    audience: 'everyone',
    exemptFromGates: true,
    handle: async ({ session }) => {
      await session.signOut();
      return new Redirect('/', 'signed-out', { headers: CLEAR });
    },
  }),
];
