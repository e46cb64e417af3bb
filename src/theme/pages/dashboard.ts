import type { ActivityRecord } from '../../domain/audit-log/index.js';
import type { AppView } from '../../domain/apps/index.js';
import type { ListQuery } from '../../core/index.js';
import type { OwnNotice } from '../../domain/notifications/index.js';
import { definePage, View } from '../page.js';
import { offersTo } from './app-transfers.js';
import { localizeNames } from './local-names.js';
import { listPlaces, type DeveloperVisit } from './show-app.js';

const SHOWN_APPS = 6;
const SHOWN_ACTIVITIES = 8;
const SHOWN_WAITING = 12;
/** Activities worth showing after a sign-in; each has the message `activity.<action>`. */
const TOLD_ACTIONS = [
  ...['user.created', 'user.updated', 'user.status_changed', 'user.login', 'user.login_failed', 'session.revoked'],
  'user.view_started',
  ...['password.changed', 'password_reset.requested', 'refresh_token.reused'],
  ...['app.created', 'app.updated', 'app.approved', 'app.revoked', 'app.deleted'],
  ...['app.transfer_offered', 'app.transfer_ended', 'app.transferred'],
  ...['credential.created', 'credential.approved', 'credential.revoked', 'credential.rotated', 'credential.revealed'],
  ...['credential.deleted', 'credential.product_added', 'credential.product_removed'],
  ...['credential.product_approved', 'credential.product_revoked'],
];

export const dashboardPages = [
  definePage({
    method: 'get',
    path: '/dashboard',
    audience: 'developers',
    viewable: true,
    budget: { gateway: 1 },
    handle: showDashboard,
  }),
];

async function showDashboard(visit: DeveloperVisit): Promise<View> {
  const { services, actor } = visit;
  const isWaiting = [
    { field: 'user', operator: 'eq', value: actor.id },
    { field: 'waiting', operator: 'eq', value: true },
  ] as const;
  const [{ items, total }, waiting, activities, notices, seats, invitations, offers, given] = await Promise.all([
    services.apps.apps.list(actor.user, queryLatest(SHOWN_APPS)),
    services.apps.directory.list({ ...queryLatest(SHOWN_WAITING), filters: isWaiting }),
    services.activities.log.recentOwn(actor.id, TOLD_ACTIONS, SHOWN_ACTIVITIES),
    services.notices.list(actor.id, LATEST_NOTICES, visit.locale),
    services.teams.teams.seatsOf(actor.id),
    services.teams.invitations.listOwn(actor.user),
    services.teams.requests.offers(actor.user),
    offersTo(visit),
  ]);
  const [apps, undecided] = await Promise.all([localizeNames(visit, items), localizeNames(visit, waiting.items)]);
  const keys = items.flatMap(({ credentials }) => credentials ?? []);
  return new View('dashboard', {
    firstName: actor.user.firstName,
    apps,
    total,
    waiting: undecided.flatMap(findWaiting).slice(0, SHOWN_WAITING),
    activities: activities.map((activity) => describeActivity(activity, actor.id)),
    notices: notices.items.map(withPlaces),
    offers: given,
    places: listPlaces(seats, null),
    hasTeams: seats.length + invitations.length + offers.length > 0,
    hasUnread: notices.items.some(({ readAt }) => readAt === null),
    isPending: actor.user.status === 'pending',
    steps: [
      { key: 'app', isDone: items.length > 0, href: '/apps/create' },
      { key: 'key', isDone: keys.length > 0, href: items[0] ? appPath(items[0]) : '/products' },
      { key: 'call', isDone: keys.some(({ lastUsedAt }) => lastUsedAt !== null), href: items[0] && appPath(items[0]) },
    ],
    isNew: keys.every(({ lastUsedAt }) => lastUsedAt === null),
  });
}

const LATEST_NOTICES: ListQuery = {
  ...{ page: 1, perPage: 5, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] },
};

const queryLatest = (perPage: number): ListQuery => ({
  ...{ page: 1, perPage, orderBy: 'updated_at', direction: 'DESC', filters: [] },
  with: ['credentials', 'products'],
});

/** What still waits for an admin's approval: the app itself, or products on keys that are not replaced. */
function findWaiting({ app, credentials }: AppView) {
  const keys = (credentials ?? []).filter(({ status, replacedBy }) => isLive(status) && replacedBy === null);
  const products = keys.flatMap((key) => key.products.filter(({ status }) => status === 'pending'));
  const names = new Set(products.map(({ name }) => name));
  const isPending = app.status === 'pending' || keys.some(({ status }) => status === 'pending');
  return [...(isPending ? [{ app, product: null }] : []), ...[...names].map((product) => ({ app, product }))];
}

function isLive(status: string): boolean {
  return status === 'approved' || status === 'pending';
}

// Developers do not learn who an admin is, or where they worked from.
function describeActivity(
  { action, actorType, actorId, subjectType, subjectLabel, createdAt }: ActivityRecord,
  userId: number,
) {
  const isOwn = actorType === 'developer' && actorId === userId;
  const isAboutApp = subjectType === 'app' || subjectType === 'credential';
  const by = isOwn || actorType === 'visitor' ? null : actorType;
  return { action, by, subject: isAboutApp ? subjectLabel : null, createdAt };
}

/** Where the apps of a notice are shown to its reader: their own, and those of their teams. */
function withPlaces(notice: OwnNotice) {
  const apps = notice.apps.map(({ name, team }) => ({ name, team, place: team ? `/teams/${team.id}/apps` : '/apps' }));
  return { ...notice, apps };
}

function appPath({ app }: AppView): string {
  return `/apps/${encodeURIComponent(app.name)}`;
}
