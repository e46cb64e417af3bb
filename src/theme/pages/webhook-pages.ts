import type { WebhookEndpoint } from '../../domain/webhooks/index.js';
import { addSeconds } from '../../core/index.js';
import { field, listField } from '../form.js';
import { definePage, Redirect, View, type FormState, type Page, type PageOutcome } from '../page.js';
import { requireFields } from './account-forms.js';
import { parseId, type DeveloperVisit } from './show-app.js';
import {
  choicesOf,
  findWebhooksOwner,
  leadToSecret,
  otherWebhooks,
  OVERLAP_S,
  ownWebhook,
  presentDeliveryRow,
  presentEndpoint,
  showWebhook,
  SINCE_S,
  readTerms,
  UNTIL_S,
  USUAL_S,
  WEBHOOK_PLACES,
  webhooksPlace,
} from './show-webhook.js';

const BLANK: FormState = { errors: {}, problem: null, old: {}, status: 200, retryAfter: null };

type Act = (visit: DeveloperVisit, endpoint: WebhookEndpoint) => Promise<PageOutcome>;

const get = (path: string, handle: (visit: DeveloperVisit) => Promise<View>): Page =>
  definePage({ method: 'get', path, audience: 'developers', handle });
/** A form on the page of an endpoint. */
const post = (path: string, act: Act): Page =>
  definePage({
    ...{ method: 'post', path, audience: 'developers' },
    handle: async (visit) => act(visit, await ownWebhook(visit)),
    retry: async (visit, state) => showWebhook(visit, await ownWebhook(visit), { state }),
  });

/**
 * Endpoints of a developer and of a team: all that `/me/webhooks` and `/me/teams/{team}/webhooks` of the REST API can do. Not
 * for admins who view the portal as the developer, since addresses of receivers often hold a secret.
 */
export const webhookPages = WEBHOOK_PLACES.flatMap((all) => [
  get(all, listWebhooks),
  get(`${all}/create`, (visit) => showForm(visit, BLANK)),
  definePage({ method: 'post', path: all, audience: 'developers', handle: createWebhook, retry: showForm }),
  ...endpointPages(`${all}/:id`),
  ...deliveryPages(`${all}/:id/deliveries/:delivery`),
]);

function endpointPages(one: string): Page[] {
  return [
    get(one, async (visit) => showWebhook(visit, await ownWebhook(visit), { opened: await visit.session.takeShown() })),
    post(one, async (visit, endpoint) => {
      requireFields(visit.request, ['url']);
      const changed = await visit.services.webhooks.endpoints.update(
        endpoint,
        inputOf(visit),
        undefined,
        visit.actor.id,
      );
      return backTo(visit, endpoint, changed.status === 'unverified' ? 'webhook-moved' : 'webhook-saved');
    }),
    post(`${one}/verify`, async (visit, endpoint) => {
      await visit.services.webhooks.endpoints.verify(endpoint);
      return backTo(visit, endpoint, 'webhook-verified');
    }),
    post(`${one}/off`, async (visit, endpoint) => {
      await visit.services.webhooks.endpoints.update(endpoint, { isEnabled: false });
      return backTo(visit, endpoint, 'webhook-off');
    }),
    post(`${one}/rotate`, async (visit, endpoint) => {
      const overlap = chosenOf(visit, 'overlap', OVERLAP_S);
      const { secret } = await visit.services.webhooks.endpoints.rotate(endpoint, overlap, visit.actor.id);
      return leadToSecret(visit, endpoint, secret, 'webhook-rotated');
    }),
    post(`${one}/test`, async (visit, endpoint) => {
      await visit.services.webhooks.endpoints.test(endpoint, field(visit.request, 'type'));
      return backTo(visit, endpoint, 'webhook-tested');
    }),
    post(`${one}/recover`, sendAgain('recover')),
    post(`${one}/replay`, sendAgain('replay')),
    post(`${one}/delete`, async (visit, endpoint) => {
      await visit.services.webhooks.endpoints.delete(endpoint);
      return new Redirect(webhooksPlace(visit), 'webhook-deleted');
    }),
  ];
}

function deliveryPages(delivery: string): Page[] {
  return [
    get(delivery, (visit) => showDelivery(visit)),
    definePage({
      ...{ method: 'post', path: `${delivery}/resend`, audience: 'developers' },
      handle: async (visit) => {
        const endpoint = await ownWebhook(visit);
        const id = parseId(visit.params.delivery);
        await visit.services.webhooks.endpoints.resend(endpoint, id);
        return new Redirect(`${webhooksPlace(visit)}/${endpoint.id}/deliveries/${id}`, 'webhook-resent');
      },
      retry: showDelivery,
    }),
  ];
}

async function listWebhooks(visit: DeveloperVisit): Promise<View> {
  const { ownerId, team, place } = await findWebhooksOwner(visit);
  const endpoints = await visit.services.webhooks.endpoints.list(ownerId);
  const values = { team, place, teams: await otherWebhooks(visit), endpoints: endpoints.map(presentEndpoint) };
  return new View('webhooks/index', values, { title: 'webhooks.title' });
}

async function showForm(visit: DeveloperVisit, state: FormState): Promise<View> {
  const { ownerId, team, place } = await findWebhooksOwner(visit);
  const { errors, problem, old, status, retryAfter } = state;
  const choices = choicesOf(visit.services.webhooks.endpoints.types(ownerId), [old.events ?? []].flat());
  const shown = { team, place, teams: await otherWebhooks(visit), choices, terms: readTerms(visit) };
  const values = { ...shown, errors, problem, retryAfter, old };
  return new View('webhooks/create', values, { title: 'webhooks.create.title', status });
}

async function createWebhook(visit: DeveloperVisit): Promise<PageOutcome> {
  const { ownerId } = await findWebhooksOwner(visit);
  requireFields(visit.request, ['url']);
  const { endpoints } = visit.services.webhooks;
  const { endpoint, secret } = await endpoints.create(inputOf(visit), ownerId, null, visit.actor.id);
  return leadToSecret(visit, endpoint, secret, 'webhook-created');
}

async function showDelivery(visit: DeveloperVisit, state: FormState = BLANK): Promise<View> {
  const { team, place } = await findWebhooksOwner(visit);
  const endpoint = await ownWebhook(visit);
  const delivery = await visit.services.webhooks.endpoints.delivery(endpoint, parseId(visit.params.delivery));
  const { errors, problem, retryAfter, status } = state;
  const values = {
    ...{ team, place },
    endpoint: presentEndpoint(endpoint),
    delivery: presentDeliveryRow(delivery),
    body: indent(delivery.body),
  };
  return new View(
    'webhooks/delivery',
    { ...values, attempts: delivery.attempts, errors, problem, retryAfter },
    { heading: delivery.type, status },
  );
}

const indent = (body: string) => JSON.stringify(JSON.parse(body), null, 2);

function inputOf({ request }: DeveloperVisit) {
  return {
    url: field(request, 'url').trim(),
    description: field(request, 'description').trim(),
    events: listField(request, 'events'),
    fields: [...listField(request, 'fields'), ...field(request, 'single_fields').split(/[\s,]+/)].filter(Boolean),
    atOnce: numberIn(field(request, 'at_once')),
    rate: numberIn(field(request, 'rate')),
    isOrdered: field(request, 'ordered') === 'true',
  };
}

/** An empty field is no limit; the domain refuses what is no number. */
function numberIn(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/** What was given up, or never sent, since some time ago, until now or some time ago. */
function sendAgain(act: 'recover' | 'replay'): Act {
  return async (visit, endpoint) => {
    const { services } = visit;
    const now = services.clock.now();
    const since = addSeconds(now, -chosenOf(visit, 'since', SINCE_S));
    const ago = chosenOf(visit, 'until', UNTIL_S, 0);
    const span = { since, until: ago === 0 ? null : addSeconds(now, -ago) };
    const messages = await services.webhooks.endpoints[act](endpoint, span);
    return backTo(visit, endpoint, messages > 0 ? 'webhook-sent-again' : 'webhook-nothing-to-send');
  };
}

/** Seconds that a form offers. */
function chosenOf({ request }: DeveloperVisit, name: string, offered: readonly number[], usual = USUAL_S): number {
  return offered.find((seconds) => String(seconds) === field(request, name)) ?? usual;
}

function backTo(visit: DeveloperVisit, { id }: WebhookEndpoint, flash: string): Redirect {
  return new Redirect(`${webhooksPlace(visit)}/${id}`, flash);
}
