import {
  definePage,
  field,
  Redirect,
  requireFields,
  View,
  type AuthContext,
  type FormState,
  type Page,
  type Visit,
} from '../../index.js';
import { FACTOR_TYPES, type FactorType } from './factor.js';
import { FRESH, type MfaAccounts, type SignedInAccount } from './mfa-accounts.js';
import { CODES_PATH, codeForm, codePage, codesPage, leadToCodes, leadToSetup } from './views.js';

type MyVisit = Visit<SignedInAccount>;

const PATH = '/settings/mfa';

/** The own factors of a developer or an admin. Changes require a reauthentication within the last five minutes (S78). */
export function factorSettingsPages(mfa: MfaAccounts, context: AuthContext): readonly Page[] {
  const own = { audience: context === 'admin' ? 'admins' : 'developers' } as const;
  const settings: Settings = async (visit, state = {}) => {
    const { errors, problem, retryAfter, status = 200 } = state;
    const { factors, required, recoveryCodesLeft } = await mfa.state(visit.actor);
    const rows = FACTOR_TYPES.map((type) => {
      const confirmedAt = factors.find((factor) => factor.type === type)?.confirmedAt ?? null;
      return { type, confirmedAt, isLast: required && factors.length === 1 && confirmedAt !== null };
    });
    const values = { rows, required, isOn: factors.length > 0, recoveryCodesLeft, email: emailOf(visit.actor) };
    return new View('mfa-settings', { ...values, errors, problem, retryAfter }, { status });
  };
  return [
    definePage({ ...own, exemptFromGates: true, method: 'get', path: PATH, handle: (visit) => settings(visit) }),
    definePage({ ...own, method: 'get', path: CODES_PATH, handle: codesPage }),
    ...beginPages(mfa, settings, own),
    ...FACTOR_TYPES.flatMap((factor) => factorPages(mfa, settings, own, factor)),
  ];
}

/** Whose pages these are. */
type Own = { readonly audience: 'developers' | 'admins' };
type Settings = (visit: MyVisit, state?: Partial<FormState>) => Promise<View>;

function emailOf(actor: SignedInAccount): string {
  return actor.context === 'admin' ? actor.admin.email : actor.user.email;
}

function requireFresh({ services, actor }: MyVisit): void {
  services.auth.guard.requireRecentSignIn(actor, FRESH);
}

function beginPages(mfa: MfaAccounts, settings: Settings, own: Own): readonly Page[] {
  const common = { ...own, method: 'post', retry: settings } as const;
  return [
    definePage({
      ...common,
      exemptFromGates: true,
      path: `${PATH}/totp`,
      handle: async (visit) => {
        requireFresh(visit);
        return leadToSetup(`${PATH}/totp`, await mfa.beginTotp(visit.actor));
      },
    }),
    definePage({
      ...common,
      exemptFromGates: true,
      path: `${PATH}/email`,
      handle: async (visit) => {
        requireFresh(visit);
        await mfa.beginEmail(visit.actor, visit.locale);
        return new Redirect(`${PATH}/email`);
      },
    }),
    definePage({
      ...common,
      path: `${PATH}/recovery-codes`,
      handle: async (visit) => {
        requireFresh(visit);
        return leadToCodes(await mfa.renewCodes(visit.actor, visit.request.info, visit.locale), PATH);
      },
    }),
  ];
}

function factorPages(mfa: MfaAccounts, settings: Settings, own: Own, factor: FactorType): readonly Page[] {
  return [
    definePage({
      ...own,
      exemptFromGates: true,
      method: 'get',
      path: `${PATH}/${factor}`,
      handle: (visit) => codePage(visit, confirmView(factor)),
    }),
    definePage({
      ...own,
      exemptFromGates: true,
      method: 'post',
      path: `${PATH}/${factor}/confirm`,
      handle: async (visit) => {
        requireFresh(visit);
        requireFields(visit.request, ['code']);
        const code = field(visit.request, 'code').slice(0, 64);
        const codes = await mfa.confirm(visit.actor, factor, code, visit.request.info, visit.locale);
        return codes ? leadToCodes(codes, PATH) : new Redirect(PATH, 'mfa-added');
      },
      retry: (_visit, state) => Promise.resolve(codeForm(confirmView(factor), state)),
    }),
    definePage({
      ...own,
      method: 'post',
      path: `${PATH}/${factor}/remove`,
      handle: async (visit) => {
        requireFresh(visit);
        await mfa.remove(visit.actor, factor, visit.request.info, visit.locale);
        return new Redirect(PATH, 'mfa-removed');
      },
      retry: settings,
    }),
  ];
}

function confirmView(factor: FactorType) {
  return { factor, action: `${PATH}/${factor}/confirm`, back: PATH };
}
