import { registrationRefusal } from '../../domain/auth/index.js';
import { NotFoundError } from '../../core/index.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState, type PageOutcome, type Visit } from '../page.js';
import { challengePage, noticePage, requireFields, returnField, returnPath } from './account-forms.js';

const FIELDS = ['first_name', 'last_name', 'email', 'password', 'password_confirmation'];

// Without sign-up, this page does not exist.
function requireOpen({ services }: Visit<null>): void {
  if (!services.site.about.features.registration) throw new NotFoundError();
}

function signUpForm(visit: Visit<null>, state: Partial<FormState> = {}): View {
  const { errors, problem, retryAfter, old = {}, status = 200 } = state;
  const passwordMinimum = visit.services.accounts.passwords.minimum('consumer');
  const values = { errors, problem, retryAfter, old, passwordMinimum, returnTo: returnField(visit) };
  return new View('register', values, { status });
}

async function submit(visit: Visit<null>): Promise<PageOutcome> {
  requireOpen(visit);
  const { request, services, session, locale } = visit;
  await services.auth.guard.throttle('credentials', request.info);
  requireFields(request, FIELDS, { confirmed: true, newEmail: true });
  const input = {
    firstName: field(request, 'first_name'),
    lastName: field(request, 'last_name'),
    email: field(request, 'email'),
    password: field(request, 'password'),
    locale,
  };
  const outcome = await services.auth.registration.register(input, request.info);
  if (outcome.kind !== 'registered') return new Redirect(`/register/${outcome.kind}`);
  const obstacle = await services.auth.flow.obstacleTo(outcome.account, request.info);
  if (obstacle?.kind === 'refused') throw registrationRefusal(obstacle);
  // A challenge that no page supports is reported by the login page too.
  if (obstacle) return challengePage(visit, obstacle) ?? new Redirect('/login');
  await session.signIn(outcome.account);
  return new Redirect(returnPath(visit) ?? '/dashboard', 'registered');
}

export const signUpPages = [
  definePage({
    method: 'get',
    path: '/register',
    audience: 'guests',
    handle: (visit) => {
      requireOpen(visit);
      return Promise.resolve(signUpForm(visit));
    },
  }),
  definePage({
    method: 'post',
    path: '/register',
    audience: 'guests',
    handle: submit,
    retry: (visit, state) => Promise.resolve(signUpForm(visit, state)),
  }),
  noticePage('/register/check-email', 'register.check-email', { resend: true }),
  noticePage('/register/awaiting-approval', 'register.awaiting-approval'),
];
