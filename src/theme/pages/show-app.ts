import {
  keyState,
  maskKey,
  productState,
  type ApprovalStatus,
  type AppView,
  type Approver,
  type CredentialView,
  type GrantRecord,
  type OwnedApp,
  type ProductChoice,
} from '../../domain/apps/index.js';
import { fullName, type UserRecord } from '../../domain/accounts/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import type { TeamAbility, TeamRecord, TeamSeat } from '../../domain/teams/index.js';
import { pickRaisedLimits, raiseLimits, viewerOf } from '../../domain/catalog/index.js';
import { type ListQuery, NotFoundError, nullIfMissing } from '../../core/index.js';
import { field } from '../form.js';
import { sampleCall } from '../format/sample-call.js';
import { NEAR, quotaBars } from '../format/quota-bars.js';
import { Redirect, View, type FormState, type Visit } from '../page.js';
import { localizeNames } from './local-names.js';

export type DeveloperVisit = Visit<ConsumerActor>;

const MOST_PRODUCTS = 100;

/** The signed-in developer, as the person who changes their own apps. */
export const asApprover = ({ id }: ConsumerActor): Approver => ({ type: 'developer', id });

/** @throws NotFoundError for anything but an id */
export function parseId(id = ''): number {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotFoundError();
  return Number(id);
}

/** Where apps are shown: own ones, and those of a team. */
export const APP_PLACES = ['/apps', '/teams/:team/apps'] as const;

/** The path of the apps that a page is about. */
export function placeOf({ params }: Pick<DeveloperVisit, 'params'>): string {
  return params.team === undefined ? '/apps' : `/teams/${params.team}/apps`;
}

/**
 * For me, or for a team: nothing for a developer without teams.
 * @param current id of the team that the page is about
 * @param what the last part of the paths
 */
export function listPlaces(
  seats: readonly TeamSeat[],
  current: string | null,
  ability: TeamAbility = 'app.view',
  what: 'apps' | 'webhooks' = 'apps',
) {
  const able = seats.filter(({ abilities }) => abilities.has(ability));
  if (able.length === 0) return [];
  const ofTeams = able.map(({ team: { id, name } }) => {
    return { name, place: `/teams/${id}/${what}`, isCurrent: String(id) === current };
  });
  return [{ name: null, place: `/${what}`, isCurrent: current === null }, ...ofTeams];
}

/** Whose apps a page is about, and what the reader may do to them. */
export interface AppsOwner {
  readonly owner: UserRecord;
  /** null: the reader's own. */
  readonly team: TeamRecord | null;
  readonly place: string;
  readonly may: (ability: TeamAbility) => boolean;
}

/**
 * The developer, or the team in the path where they may do something.
 * @throws NotFoundError for somebody who is not in the team, ForbiddenError for a role that may not
 */
export async function findAppsOwner(visit: DeveloperVisit, ability: TeamAbility = 'app.view'): Promise<AppsOwner> {
  const { services, actor, params } = visit;
  const place = placeOf(visit);
  if (params.team === undefined) return { owner: actor.user, team: null, place, may: () => true };
  const { teams } = services.teams;
  const { team, abilities } = await teams.requireSeat(actor.id, parseId(params.team), ability);
  return { owner: await teams.accountOf(team), team, place, may: (asked) => abilities.has(asked) };
}

/** What templates ask of {@link AppsOwner}. */
export function presentAppsOwner({ team, place, may }: AppsOwner) {
  return {
    ...{ team: team && { id: team.id, name: team.name }, place },
    may: {
      ...{ create: may('app.create'), update: may('app.update'), delete: may('app.delete') },
      ...{ keys: may('app.keys.manage'), rotate: may('app.keys.rotate'), reveal: may('app.keys.reveal') },
      ...{ usage: may('usage.view'), transfer: may('app.transfer') },
    },
  };
}

/**
 * The app in the path; one of another developer, or of a team that the reader is not in, counts as missing (S55).
 * @throws NotFoundError, ForbiddenError for a role that may not
 */
export async function ownApp(visit: DeveloperVisit, ability: TeamAbility = 'app.view'): Promise<OwnedApp> {
  const { owner } = await findAppsOwner(visit, ability);
  return visit.services.apps.apps.find(owner, visit.params.appName ?? '');
}

/** Products that the developer, or the team, may put on a key, by name. */
export async function listChoosableProducts({ services, locale }: DeveloperVisit, owner: Pick<UserRecord, 'id'>) {
  const query: ListQuery = {
    ...{ page: 1, perPage: MOST_PRODUCTS, orderBy: 'name', direction: 'ASC' },
    ...{ with: [], filters: [] },
  };
  const { items } = await services.catalog.products.list(query, viewerOf(owner), locale);
  const ids = items.map(({ id }) => id);
  const offers = await services.catalog.offers.listEach(ids, viewerOf(owner), locale);
  return items.map(({ id, slug, name, shortDescription, approval }) => ({
    ...{ slug, name, shortDescription, approval },
    plans: (offers.get(id) ?? []).filter(({ isKeyless }) => !isKeyless),
  }));
}

/** The chosen products with the plan that the form names beside each. */
export function withPlans(request: DeveloperVisit['request'], products: readonly string[]): ProductChoice[] {
  return products.map((product) => ({ product, plan: field(request, `plan_${product}`) || undefined }));
}

/** A credential whose key is shown in full on the page of its app, this once. */
type OpenedKey = Pick<CredentialView, 'id' | 'key'>;

/** Redirects to the page of an app, which shows the new key. */
export function leadToKey(
  visit: DeveloperVisit,
  opened: OpenedKey | undefined,
  flash: string,
  app = visit.params.appName ?? '',
): Redirect {
  const once = opened && { id: opened.id, key: opened.key };
  return new Redirect(`${placeOf(visit)}/${encodeURIComponent(app)}`, flash, once && { once });
}

/** The key that {@link leadToKey} left. */
export async function takeShownKey({ session }: DeveloperVisit): Promise<OpenedKey | undefined> {
  return (await session.takeShown()) as OpenedKey | undefined;
}

interface Shown {
  readonly state?: FormState | undefined;
  readonly opened?: OpenedKey | undefined;
}

/** The page of an app with its keys. */
export async function showApp(visit: DeveloperVisit, owned: OwnedApp, { state, opened }: Shown = {}) {
  const view = await visit.services.apps.apps.view(owned);
  const [{ app, credentials } = view] = await localizeNames(visit, [view]);
  const whose = presentAppsOwner(await findAppsOwner(visit));
  const [products, quotas, notices, transferValues, exposed] = await Promise.all([
    listChoosableProducts(visit, owned.owner),
    readQuotas(visit, view),
    visit.services.notices.ofApp(owned.owner.id, app.id, visit.actor.id, visit.locale),
    readTransfer(visit, owned, whose.may.transfer),
    // What a team has to rotate is on a page of the team.
    whose.team ? [] : visit.services.teams.sights.exposedOf(owned.owner.id, app.id),
  ]);
  const { errors = {}, old = {} } = state ?? {};
  const chosen = [old.products ?? []].flat();
  // Each form of the page gets back only what was entered in it.
  const keyId = visit.params.id;
  const isEdited = 'display_name' in old;
  const isNewKey = keyId === undefined && 'expires_in_days' in old;
  const newestFirst = [...(credentials ?? [])].sort(
    (a, b) => b.issuedAt.getTime() - a.issuedAt.getTime() || b.id - a.id,
  );
  const samples = await sampleOfNewest(visit, newestFirst, opened);
  const hidden = await findHidden(visit, newestFirst);
  const keys = newestFirst.map((credential) => ({
    ...presentCredential(app.status, { ...credential, hidden }, products, quotas, opened),
    sample: samples.get(credential.id) ?? null,
    isExposed: exposed.some(({ id }) => id === credential.id),
    ...(String(credential.id) === keyId ? { chosen, errors: errors.products, isOpen: 'products' in old } : {}),
  }));
  return new View(
    'apps/show',
    {
      ...whose,
      app,
      credentials: keys,
      // Ended ones are folded away, unless the reader just asked something of one.
      currentKeys: keys.filter((key) => key.isAlive || String(key.id) === keyId),
      endedKeys: keys.filter((key) => !key.isAlive && String(key.id) !== keyId),
      products,
      ...transferValues,
      notices,
      warnings: warningsOf(view, quotas),
      isUsageStale: (credentials ?? []).some((credential) => credential.isUsageStale),
      texts: {
        displayName: isEdited ? old.display_name : app.displayName,
        description: isEdited ? old.description : app.description,
        callbackUrl: isEdited ? old.callback_url : app.callbackUrl,
      },
      isEdited,
      newKey: { isOpen: isNewKey, chosen: isNewKey ? chosen : [], errors: isNewKey ? errors.products : [] },
      canApprove: app.status === 'revoked' && app.revokedBy === 'developer',
      isClosed: app.status === 'revoked',
      ...{ errors, problem: state?.problem ?? null, retryAfter: state?.retryAfter ?? null, old },
    },
    { heading: app.displayName, status: state?.status ?? 200 },
  );
}

/** A call with the newest key that opens something; with the whole key where the page shows it. */
async function sampleOfNewest(
  { services, actor, locale }: DeveloperVisit,
  credentials: readonly CredentialView[],
  opened: OpenedKey | undefined,
): Promise<ReadonlyMap<number, string>> {
  const grants = credentials.filter(({ status, replacedBy }) => status === 'approved' && replacedBy === null);
  const newest = grants.find(({ id }) => id === opened?.id) ?? grants[0];
  const grant = newest?.products.find(({ status }) => status === 'approved');
  if (!newest || !grant) return new Map();
  const { products } = services.catalog;
  const viewer = viewerOf(actor);
  const product = await products.find(grant.productId, viewer, locale).catch(nullIfMissing);
  const facts = product && (await products.readFacts(product, viewer));
  if (!facts) return new Map();
  const key = opened?.id === newest.id ? opened.key?.consumerKey : undefined;
  const sample = sampleCall(facts.base, facts.firstCall, key ?? maskKey(newest.keyHint));
  return new Map(sample.takes === 'key' ? [[newest.id, sample.text]] : []);
}

/** Whether the reader may hand the app over, and to whom it is offered. Who is in no team has nobody to give it to. */
async function readTransfer({ services, actor }: DeveloperVisit, owned: OwnedApp, mayTransfer: boolean) {
  if (!mayTransfer || (await services.teams.teams.seatsOf(actor.id)).length === 0) return { mayOffer: false };
  const current = await services.apps.transfers.current(owned);
  if (!current) return { mayOffer: await services.apps.transfers.isPossible() };
  const team = await services.teams.teams.findByAccount(current.to.id);
  const to = current.to.id === actor.id ? null : (team?.name ?? fullName(current.to));
  return { mayOffer: true, offer: { to } };
}

// The product may be hidden from its holder meanwhile.
/** Products on keys of a team that the reader themselves does not see, so that no link leads there. */
async function findHidden({ services, actor, params, locale }: DeveloperVisit, credentials: readonly CredentialView[]) {
  const hidden = new Set<string>();
  if (params.team === undefined) return hidden;
  for (const slug of new Set(credentials.flatMap((credential) => credential.products.map((grant) => grant.slug)))) {
    const found = await services.catalog.products.find(slug, viewerOf(actor), locale).catch(nullIfMissing);
    if (!found) hidden.add(slug);
  }
  return hidden;
}

function presentCredential(
  app: ApprovalStatus,
  { hidden, ...credential }: CredentialView & { readonly hidden: ReadonlySet<string> },
  products: Awaited<ReturnType<typeof listChoosableProducts>>,
  quotas: Awaited<ReturnType<typeof readQuotas>>,
  opened: OpenedKey | undefined,
) {
  const { keyHint, status, revokedBy } = credential;
  const parts = { app, key: status, products: credential.products.map((grant) => grant.status) };
  const held = new Set(credential.products.map(({ slug }) => slug));
  return {
    ...credential,
    key: opened?.id === credential.id ? opened.key : null,
    state: keyState(parts),
    masked: maskKey(keyHint),
    isAlive: status === 'approved' || status === 'pending',
    endedAt: status === 'revoked' ? credential.revokedAt : status === 'expired' ? credential.expiresAt : null,
    canApprove: status === 'revoked' && revokedBy === 'developer',
    products: credential.products.map((grant) => ({
      ...grant,
      isHidden: hidden.has(grant.slug),
      state: productState(parts, grant.status),
      canApprove: grant.status === 'revoked' && grant.revokedBy === 'developer',
      // The plans that it could have instead.
      plans: (products.find(({ slug }) => slug === grant.slug)?.plans ?? []).filter(
        ({ version }) => version.id !== grant.planVersionId,
      ),
      quotas: quotas.get(`${credential.id} ${grant.productId}`) ?? [],
      ...presentRaised(grant),
      canWithdraw: grant.nextPlan !== null && grant.nextPlanBy === 'developer',
    })),
    addable: products.filter(({ slug }) => !held.has(slug)),
  };
}

/** How much is used of the quotas of what keys open, by the ids of key and product. */
async function readQuotas({ services }: DeveloperVisit, { app, credentials }: AppView) {
  const held = (credentials ?? []).flatMap((key) => (key.status === 'approved' ? key.products : []));
  const open = held.filter(({ status }) => status === 'approved');
  const quotas = await services.usage.quotas.readUsed(app.id, open);
  return new Map(
    open.map(({ credentialId, productId }, index) => [`${credentialId} ${productId}`, quotaBars(quotas[index] ?? [])]),
  );
}

/** Quotas that are nearly used up, or are: once for each product, whatever the number of keys. */
function warningsOf({ credentials }: AppView, quotas: Awaited<ReturnType<typeof readQuotas>>) {
  const held = (credentials ?? []).flatMap((key) => key.products.map((grant) => ({ ...grant, keyId: key.id })));
  const found = held.flatMap(({ keyId, productId, name }) => {
    const worst = (quotas.get(`${keyId} ${productId}`) ?? []).reduce((most, { share }) => Math.max(most, share), 0);
    return worst < NEAR ? [] : [[productId, { product: name, isUsedUp: worst >= 1 }] as const];
  });
  return [...new Map(found).values()];
}

/** What holds instead of the limits of the plan; null for nothing. */
function presentRaised({ plan, override }: GrantRecord) {
  const isRaised =
    override && (override.isExempt || Object.values(pickRaisedLimits(override)).some((one) => one !== null));
  return { raised: plan && isRaised ? { ...raiseLimits(plan.limits, override), ...pickTerms(override) } : null };
}

function pickTerms({ isExempt, endsAt, reason }: NonNullable<GrantRecord['override']>) {
  return { isExempt, endsAt, reason };
}
