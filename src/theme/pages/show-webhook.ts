import type { WebhookDelivery, WebhookEndpoint } from '../../domain/webhooks/index.js';
import type { ListQuery } from '../../core/index.js';
import { pageLinks, pageQuery, withParameters } from '../format/paging.js';
import { receiverSamples, secretNameOf } from '../format/webhook-receivers.js';
import { field, listField } from '../form.js';
import { Redirect, View, type FormState } from '../page.js';
import { findAppsOwner, parseId, listPlaces, type DeveloperVisit } from './show-app.js';

const PER_PAGE = 20;
const STATES = ['queued', 'sent', 'failed'] as const;

/** Seconds that a form offers: how far back, and how long two secrets sign. */
export const SINCE_S = [3_600, 6 * 3_600, 86_400, 7 * 86_400, 30 * 86_400] as const;
/** The same, up to when; 0 is now. */
export const UNTIL_S = [0, 3_600, 6 * 3_600, 86_400, 7 * 86_400] as const;
export const OVERLAP_S = [0, 3_600, 86_400, 7 * 86_400] as const;
export const USUAL_S = 86_400;

/** The secret of an endpoint, which its page shows in full this once. */
interface OpenedSecret {
  readonly id: number;
  readonly secret: string;
}

/** Where webhooks are shown: own ones, and those of a team. */
export const WEBHOOK_PLACES = ['/webhooks', '/teams/:team/webhooks'] as const;

/** The path of the webhooks that a page is about. */
export function webhooksPlace({ params }: Pick<DeveloperVisit, 'params'>): string {
  return params.team === undefined ? '/webhooks' : `/teams/${params.team}/webhooks`;
}

/**
 * Whose webhooks a page is about: the developer's, or those of the team in the path.
 * @throws NotFoundError for somebody who is not in the team, ForbiddenError for a role without `webhooks.manage`
 */
export async function findWebhooksOwner(visit: DeveloperVisit) {
  const { owner, team } = await findAppsOwner(visit, 'webhooks.manage');
  return { ownerId: owner.id, team: team && { id: team.id, name: team.name }, place: webhooksPlace(visit) };
}

/** Where else the reader has webhooks. */
export async function otherWebhooks({ services, actor, params }: DeveloperVisit) {
  const seats = await services.teams.teams.seatsOf(actor.id);
  return listPlaces(seats, params.team ?? null, 'webhooks.manage', 'webhooks');
}

/**
 * The endpoint in the path; another developer's, or another team's, counts as missing (S55).
 * @throws NotFoundError, ForbiddenError as {@link findWebhooksOwner}
 */
export async function ownWebhook(visit: DeveloperVisit): Promise<WebhookEndpoint> {
  const { ownerId } = await findWebhooksOwner(visit);
  return visit.services.webhooks.endpoints.find(parseId(visit.params.id), ownerId);
}

/** Redirects to the page of an endpoint, which shows the new secret. */
export function leadToSecret(visit: DeveloperVisit, { id }: WebhookEndpoint, secret: string, flash: string): Redirect {
  return new Redirect(`${webhooksPlace(visit)}/${id}`, flash, { once: { id, secret } satisfies OpenedSecret });
}

/** The page of an endpoint with its messages. */
export async function showWebhook(
  visit: DeveloperVisit,
  endpoint: WebhookEndpoint,
  { state, opened }: { readonly state?: FormState; readonly opened?: unknown } = {},
): Promise<View> {
  const { services, request } = visit;
  const { ownerId, team, place } = await findWebhooksOwner(visit);
  const { errors = {}, problem = null, old = {}, status = 200, retryAfter = null } = state ?? {};
  const shown = opened as Partial<OpenedSecret> | undefined;
  const { filters, filter } = stateOf(visit);
  const query: ListQuery = pageQuery(request, PER_PAGE, { orderBy: 'created_at', direction: 'DESC', filters });
  const page = await services.webhooks.endpoints.deliveries(endpoint, query);
  const secretName = secretNameOf(endpoint);
  const isEdited = 'url' in old;
  const types = services.webhooks.endpoints.types(ownerId);
  return new View(
    'webhooks/show',
    {
      ...{ team, place, endpoint: presentEndpoint(endpoint), secretName, samples: receiverSamples(secretName) },
      secret: shown?.id === endpoint.id ? shown.secret : null,
      keysAddress: `${services.site.about.baseUrl()}/.well-known/webhooks-keys`,
      deliveries: page.items.map(presentDeliveryRow),
      ...{
        paging: pageLinks(request, page),
        tabs: tabsOf(`${place}/${endpoint.id}`, filter),
        isFiltered: filter !== null,
      },
      ...{ types, spans: SINCE_S, untils: UNTIL_S, overlaps: OVERLAP_S, usual: USUAL_S, isEdited },
      texts: isEdited ? old : endpoint,
      terms: isEdited ? readTerms(visit) : termsOf(endpoint),
      choices: choicesOf(types, isEdited ? [old.events ?? []].flat() : endpoint.events),
      ...{ errors, problem, retryAfter, old },
    },
    { heading: titleOf(endpoint), status },
  );
}

/** What an endpoint is called: as its owner wrote, or its host. */
function titleOf({ description, url }: WebhookEndpoint): string {
  return description === '' ? new URL(url).host : description;
}

export function presentEndpoint(endpoint: WebhookEndpoint) {
  return { ...endpoint, title: titleOf(endpoint), tone: TONES[endpoint.status] };
}

const TONES = { active: 'approved', unverified: 'pending', disabled: 'revoked' } as const;
const STATE_TONES = { sent: 'approved', queued: 'pending', failed: 'revoked' } as const;

export function presentDeliveryRow(delivery: WebhookDelivery) {
  return { ...delivery, tone: STATE_TONES[delivery.state] };
}

/** The types to choose from, below the pattern that means all of them. */
export function choicesOf(types: readonly string[], chosen: readonly unknown[]) {
  const groups = [...new Set(types.map((type) => type.split('.', 1)[0] ?? ''))];
  const isChosen = (value: string) => chosen.includes(value) || (value.includes('.') && chosen.includes('*'));
  return groups.map((group) => {
    const own = types.filter((type) => type.startsWith(`${group}.`));
    const single = own.map((value) => ({ value, isChosen: isChosen(value) }));
    const whole = { group, value: `${group}.*`, isChosen: isChosen(`${group}.*`) };
    return { ...whole, types: single, isOpen: single.some((one) => one.isChosen) };
  });
}

/** How messages come, as the form shows it. */
function termsOf({ fields, atOnce, rate, isOrdered }: WebhookEndpoint) {
  const single = (fields ?? []).filter((name) => !WHOLE.includes(name)).join(', ');
  return { fields: fields ?? [], single, atOnce, rate, isOrdered, isOpen: false };
}

/** The same, as it was typed. */
export function readTerms({ request }: DeveloperVisit) {
  const [single, atOnce, rate] = [field(request, 'single_fields'), field(request, 'at_once'), field(request, 'rate')];
  const isOrdered = field(request, 'ordered') === 'true';
  return {
    fields: listField(request, 'fields'),
    single,
    atOnce,
    rate,
    isOrdered,
    isOpen: [single, atOnce, rate].some(Boolean),
  };
}

/** What the form offers as a choice of its own. */
const WHOLE = ['label', 'changes'];

function stateOf({ request }: DeveloperVisit) {
  const asked = request.query.get('state')?.at(-1);
  const filter = STATES.find((state) => state === asked) ?? null;
  const filters = filter === null ? [] : ([{ field: 'state', operator: 'eq', value: filter }] as const);
  return { filter, filters };
}

function tabsOf(place: string, present: string | null) {
  return [null, ...STATES].map((state) => ({
    state: state ?? 'all',
    href: `${place}${withParameters(new URLSearchParams(), { state })}`,
    isCurrent: state === present,
  }));
}
