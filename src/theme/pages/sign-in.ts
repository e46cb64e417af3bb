import { refusalError, type AuthContext, type LoginInput } from '../../domain/auth/index.js';
import { deviceIn } from '../cookies.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState, type Page, type Visit } from '../page.js';
import { challengePage, requireFields, returnField, returnPath } from './account-forms.js';

/** S04, S11: no account has a longer one, so it is not worth a hash. */
const LONGEST_EMAIL = 254;
const LONGEST_PASSWORD = 512;
const CLEAR = { 'Clear-Site-Data': '"cache", "storage"' };

/** Why a sign-in did not go through: the message `login.refused.<refusal>`. */
type Refusal = 'credentials' | 'email-not-verified' | 'challenge';
const STATUS: Readonly<Record<Refusal, number>> = { credentials: 422, 'email-not-verified': 403, challenge: 403 };

function signInForm(
  template: string,
  visit: Visit<null>,
  state: Partial<FormState> = {},
  refusal: Refusal | null = null,
): View {
  const { errors, problem, retryAfter, status = 200 } = state;
  const email = field(visit.request, 'email');
  return new View(template, { email, errors, problem, retryAfter, refusal, returnTo: returnField(visit) }, { status });
}

async function submit(visit: Visit<null>, { context, template }: SignIn): Promise<Redirect | View> {
  const { request, services, session } = visit;
  await services.auth.guard.throttle('credentials', request.info);
  requireFields(request, ['email', 'password']);
  const typed = { email: field(request, 'email'), password: field(request, 'password') };
  const outcome = await authenticate(visit, context, { ...typed, device: deviceIn(request.cookies, context) });
  if (typeof outcome === 'string') return signInForm(template, visit, { status: STATUS[outcome] }, outcome);
  if (outcome.kind === 'challenge') {
    return challengePage(visit, outcome) ?? signInForm(template, visit, { status: STATUS.challenge }, 'challenge');
  }
  await session.signIn(outcome.account);
  return new Redirect(returnPath(visit) ?? visit.home);
}

async function authenticate({ services, request }: Visit<null>, context: AuthContext, input: LoginInput) {
  if (input.email.length > LONGEST_EMAIL || input.password.length > LONGEST_PASSWORD) return 'credentials';
  const outcome = await services.auth.flow.authenticate(input, context, request.info);
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.reason === 'limited') throw refusalError(outcome);
  return outcome.reason;
}

/** Whose sign-in it is. */
interface SignIn {
  readonly context: AuthContext;
  /** Of the form. */
  readonly template: string;
}

export function signInPages(signIn: SignIn): Page[] {
  return [
    definePage({
      method: 'get',
      path: '/login',
      audience: 'guests',
      handle: (visit) => Promise.resolve(signInForm(signIn.template, visit)),
    }),
    definePage({
      method: 'post',
      path: '/login',
      audience: 'guests',
      handle: (visit) => submit(visit, signIn),
      retry: (visit, state) => Promise.resolve(signInForm(signIn.template, visit, state)),
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
}
