import type { ConsumerActor } from '../../domain/auth/index.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState, type Visit } from '../page.js';
import { noticePage, requireFields } from './account-forms.js';

type AnyVisit = Visit<ConsumerActor | null>;

const everyone = { audience: 'everyone' } as const;

/** A page with one address field, which sends a mail. */
function addressForm(template: 'forgot-password' | 'resend-verification') {
  return ({ actor, request }: AnyVisit, state: Partial<FormState> = {}): Promise<View> => {
    const { errors, problem, retryAfter, status = 200 } = state;
    const email = request.method === 'POST' ? field(request, 'email') : actor?.user.email;
    return Promise.resolve(new View(template, { errors, problem, retryAfter, email }, { status }));
  };
}

function tokenForm(template: 'reset-password' | 'verify-email') {
  return ({ params, services }: AnyVisit, state: Partial<FormState> = {}): Promise<View> => {
    const { errors, problem, retryAfter, status = 200 } = state;
    const isInvalid = errors?.token !== undefined;
    const values = { errors, problem, retryAfter, isInvalid, state: isInvalid ? 'invalid' : 'text' };
    const passwordMinimum = services.accounts.passwords.minimum('consumer');
    return Promise.resolve(new View(template, { ...values, passwordMinimum, token: params.token }, { status }));
  };
}

const forgotForm = addressForm('forgot-password');
const resendForm = addressForm('resend-verification');
const resetForm = tokenForm('reset-password');
const verifyForm = tokenForm('verify-email');

async function countEmail({ request, services }: AnyVisit): Promise<string> {
  await services.auth.guard.throttle('credentials', request.info);
  requireFields(request, ['email']);
  return field(request, 'email').slice(0, 300);
}

/** For people who cannot sign in. No page reveals whether an account exists (S09, S10). */
export const recoveryPages = [
  definePage({ ...everyone, method: 'get', path: '/forgot-password', handle: (visit) => forgotForm(visit) }),
  definePage({
    ...everyone,
    method: 'post',
    path: '/forgot-password',
    handle: async (visit) => {
      await visit.services.auth.passwordReset.request(await countEmail(visit), visit.locale, visit.request.info);
      return new Redirect('/forgot-password/sent');
    },
    retry: forgotForm,
  }),
  noticePage('/forgot-password/sent', 'forgot-password.sent'),
  definePage({ ...everyone, method: 'get', path: '/reset-password/:token', handle: (visit) => resetForm(visit) }),
  definePage({
    ...everyone,
    method: 'post',
    path: '/reset-password/:token',
    handle: async ({ services, request, params }) => {
      await services.auth.guard.throttle('credentials', request.info);
      requireFields(request, ['password', 'password_confirmation'], { confirmed: true });
      await services.auth.passwordReset.reset(params.token ?? '', field(request, 'password'));
      return new Redirect('/login', 'password-reset');
    },
    retry: resetForm,
  }),
  // Mail scanners open links: only the button proves that a person read the mail.
  definePage({ ...everyone, method: 'get', path: '/verify-email/:token', handle: (visit) => verifyForm(visit) }),
  definePage({
    ...everyone,
    method: 'post',
    path: '/verify-email/:token',
    handle: async ({ services, request, params, locale, actor }) => {
      await services.auth.guard.throttle('credentials', request.info);
      await services.auth.confirmation.confirm(params.token ?? '', locale);
      return new Redirect(actor ? '/profile' : '/login', 'email-verified');
    },
    retry: verifyForm,
  }),
  definePage({ ...everyone, method: 'get', path: '/verify-email', handle: (visit) => resendForm(visit) }),
  definePage({
    ...everyone,
    method: 'post',
    path: '/verify-email',
    handle: async (visit) => {
      await visit.services.auth.confirmation.resend(await countEmail(visit), visit.locale, visit.request.info);
      return new Redirect('/verify-email/sent');
    },
    retry: resendForm,
  }),
  noticePage('/verify-email/sent', 'resend-verification.sent'),
];
