import {
  changePassword,
  definePage,
  describeUserAgent,
  field,
  readOptionalField,
  Redirect,
  View,
  type FormState,
  type Page,
} from '../../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';

const PATH = '/account';
const SHOWN = ['getAdminProfile', 'listAdminSessions'];
/** Only the most recently used; all can be ended at once. */
const SHOWN_SESSIONS = 10;
const admins = { audience: 'admins' } as const;

interface OwnAdmin {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly { readonly name: string }[];
  readonly last_login_at: Date | null;
}

interface OwnSession {
  readonly id: string;
  readonly channel: string;
  readonly current: boolean;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly last_seen_at: Date;
}

/** The admin's own account: name, password, sessions. */
export function accountPages(context: ConsoleContext): readonly Page[] {
  const { operations } = context;
  const show = (visit: AdminVisit, state?: FormState) => showAccount(context, visit, state);
  const common = { ...admins, method: 'post', retry: show } as const;
  const save = async (visit: AdminVisit) => {
    const { request } = visit;
    const further = { body: { name: field(request, 'name') }, ifMatch: readOptionalField(request, '_version') };
    await operations.run('updateAdminProfile', adminCall(visit, further));
    return new Redirect(PATH, 'profile-saved');
  };
  const endSession = async (visit: AdminVisit) => {
    const id = field(visit.request, 'id').slice(0, 64);
    if (id === visit.actor.sid) return signOut(visit);
    await operations.run('endAdminSession', adminCall(visit, { params: { id } }));
    return new Redirect(PATH, 'session-ended');
  };
  const endAll = async (visit: AdminVisit) => {
    await operations.run('endAdminAllSessions', adminCall(visit));
    return signOut(visit);
  };
  return [
    definePage({ ...admins, method: 'get', path: PATH, needs: SHOWN, handle: (visit) => show(visit) }),
    definePage({ ...common, path: PATH, needs: ['updateAdminProfile'], handle: save }),
    // Not through its operation, which knows no browser: the session must continue under a new id.
    definePage({ ...common, path: `${PATH}/password`, needs: SHOWN, handle: (visit) => changePassword(visit, PATH) }),
    definePage({ ...common, path: `${PATH}/sessions/end`, needs: ['endAdminSession'], handle: endSession }),
    definePage({ ...common, path: `${PATH}/sessions/end-all`, needs: ['endAdminAllSessions'], handle: endAll }),
  ];
}

async function signOut({ session }: AdminVisit): Promise<Redirect> {
  await session.signOut();
  return new Redirect('/login', 'signed-out');
}

async function showAccount({ operations }: ConsoleContext, visit: AdminVisit, state?: FormState): Promise<View> {
  const { errors, problem, retryAfter, status = 200 } = state ?? {};
  const { data, etag } = await operations.run('getAdminProfile', adminCall(visit));
  const own = data as OwnAdmin;
  const listed = await operations.run('listAdminSessions', adminCall(visit));
  const sessions = listed.data as readonly OwnSession[];
  const values = {
    profile: { ...own, name: readOptionalField(visit.request, 'name') ?? own.name },
    version: etag,
    sessions: sessions.slice(0, SHOWN_SESSIONS).map((one) => ({
      ...one,
      device: describeUserAgent(one.user_agent ?? ''),
    })),
    moreSessions: Math.max(0, sessions.length - SHOWN_SESSIONS),
    passwordMinimum: visit.services.accounts.passwords.minimum('admin'),
    ...{ errors, problem, retryAfter },
  };
  return new View('console/account', values, { status, title: 'console.account.title' });
}
