import { otherEmail, type CustomAttributeInput } from '../../domain/accounts/index.js';
import { ReauthenticationRequiredError, type ConsumerActor, type SessionRecord } from '../../domain/auth/index.js';
import { ValidationError, type FieldErrors, type ListQuery } from '../../core/index.js';
import { localeCookie } from '../cookies.js';
import { field, listField, readOptionalField } from '../form.js';
import { languageName } from '../format/languages.js';
import { definePage, Redirect, View, type FormState, type Visit } from '../page.js';
import { deliveryChoice, watchForms } from './change-notices.js';
import { changePassword, describeUserAgent } from './own-sign-ins.js';
import { asApprover } from './show-app.js';

type MyVisit = Visit<ConsumerActor>;

const LONGEST_ATTRIBUTE = 1_000;
/** Only the most recently used; those with more can end all others at once. */
const SHOWN_SESSIONS = 10;
/** Apps that the form offers one by one; those with more choose for all of them. */
const OFFERED: ListQuery = { page: 1, perPage: 100, orderBy: 'name', direction: 'ASC', with: [], filters: [] };
const developers = { audience: 'developers' } as const;

/** `custom_attributes[company]` */
const attributeField = (name: string) => `custom_attributes[${name}]`;

async function profile(visit: MyVisit, state: Partial<FormState> = {}): Promise<View> {
  const { services, actor, request, locale } = visit;
  const { errors, problem, retryAfter, status = 200 } = state;
  const { user } = actor;
  const sessions = await services.auth.sessions.list(actor);
  const readTypedOr = (name: string, stored: string) => readOptionalField(request, name) ?? stored;
  const values = {
    profile: {
      ...user,
      firstName: readTypedOr('first_name', user.firstName),
      lastName: readTypedOr('last_name', user.lastName),
      emailField: readTypedOr('email', user.email),
      locale: readTypedOr('locale', user.locale ?? locale),
    },
    languages: services.site.about.locales.map((code) => ({ value: code, label: languageName(code) })),
    attributes: services.accounts.users.customAttributes.map((name) => ({
      name: attributeField(name),
      label: labelOf(name),
      value: readTypedOr(attributeField(name), formatAttribute(user.customAttributes[name])),
    })),
    sessions: sessions.slice(0, SHOWN_SESSIONS).map((session) => presentSession(session, actor.sid)),
    watches: await watchForms(visit),
    changeMails: await deliveryChoice(visit),
    ...(await fatesOf(visit)),
    pausesKeys: await services.apps.transfers.pausesKeys(),
    moreSessions: Math.max(0, sessions.length - SHOWN_SESSIONS),
    passwordMinimum: services.accounts.passwords.minimum('consumer'),
    hasOthers: sessions.some(({ sid }) => sid !== actor.sid),
    ...{ errors, problem, retryAfter },
  };
  return new View('profile', values, { status });
}

/** What may happen to the apps of an account that is deleted; nothing where there are none, or no team to give them to. */
async function fatesOf(visit: MyVisit) {
  const { services, actor } = visit;
  const seats = (await services.teams.teams.seatsOf(actor.id)).filter(({ abilities }) => abilities.has('app.create'));
  if (seats.length === 0 || !(await services.apps.transfers.isPossible())) return {};
  const { items } = await services.apps.apps.list(actor.user, OFFERED);
  if (items.length === 0) return {};
  const { 'delete.close': close = '' } = await visit.words('profile');
  const fates = [
    { value: 'close', label: close },
    ...seats.map(({ team: { id, name } }) => ({ value: `team-${id}`, label: name })),
  ];
  return { fates, ownApps: items.map(({ app: { name, displayName } }) => ({ name, displayName })) };
}

function presentSession({ sid, channel, ip, userAgent, lastSeenAt, createdAt }: SessionRecord, present: string) {
  const device = describeUserAgent(userAgent ?? '');
  return { sid, channel, ip, device, lastSeenAt, createdAt, isPresent: sid === present };
}

/** `company_name` → `Company name` */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A custom attribute as its field shows it. */
function formatAttribute(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/**
 * The changes of the form: an empty field removes its value; one that shows a stored number or choice unchanged is left
 * alone.
 */
function attributesOf({ services, actor, request }: MyVisit): CustomAttributeInput {
  const input: Record<string, string | null> = {};
  const errors: FieldErrors = {};
  for (const name of services.accounts.users.customAttributes) {
    const text = readOptionalField(request, attributeField(name))?.trim();
    if (text === undefined || text === formatAttribute(actor.user.customAttributes[name])) continue;
    if (text.length > LONGEST_ATTRIBUTE) {
      errors[attributeField(name)] = [`Please use at most ${LONGEST_ATTRIBUTE} characters.`];
    }
    input[name] = text === '' ? null : text;
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return input;
}

async function save(visit: MyVisit): Promise<Redirect> {
  const { services, actor, request, locale } = visit;
  const newEmail = otherEmail(actor.user.email, readOptionalField(request, 'email'));
  const customAttributes = attributesOf(visit);
  if (newEmail !== null) {
    services.auth.guard.requireRecentSignIn(actor);
    await services.auth.admission.require({ ...actor.user, email: newEmail }, request.info);
  }
  const names = {
    firstName: readOptionalField(request, 'first_name'),
    lastName: readOptionalField(request, 'last_name'),
  };
  const language = readOptionalField(request, 'locale');
  const user = await services.accounts.users.updateProfile(actor.id, { ...names, locale: language, customAttributes });
  const cookies = language === undefined ? [] : [localeCookie(language)];
  if (newEmail === null) return new Redirect('/profile', 'profile-saved', { cookies });
  await services.auth.confirmation.requestChange(user, newEmail, language ?? locale);
  return new Redirect('/profile', 'email-change-asked', { cookies });
}

async function endSessions({ services, actor, request, session }: MyVisit): Promise<Redirect> {
  const sid = readOptionalField(request, 'id');
  if (sid === actor.sid) {
    await session.signOut();
    return new Redirect('/', 'signed-out');
  }
  if (sid === undefined) await services.auth.sessions.revokeAll(actor, request.info, actor.sid);
  else await services.auth.sessions.revoke(actor, sid.slice(0, 64), request.info);
  return new Redirect('/profile', sid === undefined ? 'sessions-ended' : 'session-ended');
}

async function deleteAccount({ services, actor, request, session }: MyVisit): Promise<Redirect> {
  // Required every time, however recent the sign-in: a deleted account cannot be restored.
  if (field(request, '_current_password') === '') throw new ReauthenticationRequiredError();
  services.auth.guard.requireRecentSignIn(actor);
  const [, team] = /^team-([1-9]\d{0,14})$/.exec(field(request, 'apps')) ?? [];
  if (team !== undefined) {
    const { teams, members } = services.teams;
    const seat = await teams.requireSeat(actor.id, Number(team), 'app.create');
    await members.requireNoLastOwner(actor.id, 'teams');
    const to = await teams.accountOf(seat.team);
    await services.apps.transfers.moveAll(actor.user, to, asApprover(actor), listField(request, 'close_apps'));
  }
  await services.accounts.users.delete(actor.id);
  await session.signOut();
  return new Redirect('/', 'account-deleted');
}

export const profilePages = [
  definePage({ ...developers, method: 'get', path: '/profile', handle: (visit) => profile(visit) }),
  definePage({ ...developers, method: 'post', path: '/profile', handle: save, retry: profile }),
  definePage({
    ...developers,
    method: 'post',
    path: '/profile/password',
    handle: (visit) => changePassword(visit, '/profile'),
    retry: profile,
  }),
  definePage({ ...developers, method: 'post', path: '/profile/sessions/revoke', handle: endSessions, retry: profile }),
  definePage({ ...developers, method: 'post', path: '/profile/delete', handle: deleteAccount, retry: profile }),
];
