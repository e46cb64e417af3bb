import type { WebhookEndpoint } from '../../domain/webhooks/index.js';
import { addSeconds } from '../../core/index.js';
import { field, listField } from '../form.js';
import { definePage, Redirect, View, type FormState, type Page, type PageOutcome } from '../page.js';
import { requireFields } from './account-forms.js';
import { numberOf, type DeveloperVisit } from './show-app.js';
import {
  choicesOf,
  leadToSecret,
  OVERLAP_S,
  ownWebhook,
  presentDelivery,
  presentEndpoint,
  showWebhook,
  SINCE_S,
  typedTerms,
  UNTIL_S,
  USUAL_S,
} from './show-webhook.js';

const ALL = '/webhooks';
const ONE = `${ALL}/:id`;
const DELIVERY = `${ONE}/deliveries/:delivery`;
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
 * A developer's endpoints: all that `/me/webhooks` of the REST API can do. Not for admins who view the portal as the
 * developer, since addresses of receivers often hold a secret.
 */
export const webhookPages = [
  get(ALL, listWebhooks),
  get(`${ALL}/create`, (visit) => showForm(visit, BLANK)),
  definePage({ method: 'post', path: ALL, audience: 'developers', handle: createWebhook, retry: showForm }),
  get(ONE, async (visit) => showWebhook(visit, await ownWebhook(visit), { opened: await visit.session.takeShown() })),
  post(ONE, async (visit, endpoint) => {
    requireFields(visit.request, ['url']);
    const changed = await visit.services.webhooks.endpoints.update(endpoint, inputOf(visit));
    return backTo(endpoint, changed.status === 'unverified' ? 'webhook-moved' : 'webhook-saved');
  }),
  post(`${ONE}/verify`, async ({ services }, endpoint) => {
    await services.webhooks.endpoints.verify(endpoint);
    return backTo(endpoint, 'webhook-verified');
  }),
  post(`${ONE}/off`, async ({ services }, endpoint) => {
    await services.webhooks.endpoints.update(endpoint, { isEnabled: false });
    return backTo(endpoint, 'webhook-off');
  }),
  post(`${ONE}/rotate`, async (visit, endpoint) => {
    const overlap = chosenOf(visit, 'overlap', OVERLAP_S);
    const { secret } = await visit.services.webhooks.endpoints.rotate(endpoint, overlap);
    return leadToSecret(endpoint, secret, 'webhook-rotated');
  }),
  post(`${ONE}/test`, async ({ services, request }, endpoint) => {
    await services.webhooks.endpoints.test(endpoint, field(request, 'type'));
    return backTo(endpoint, 'webhook-tested');
  }),
  post(`${ONE}/recover`, sendAgain('recover')),
  post(`${ONE}/replay`, sendAgain('replay')),
  post(`${ONE}/delete`, async ({ services }, endpoint) => {
    await services.webhooks.endpoints.delete(endpoint);
    return new Redirect(ALL, 'webhook-deleted');
  }),
  get(DELIVERY, (visit) => showDelivery(visit)),
  definePage({
    ...{ method: 'post', path: `${DELIVERY}/resend`, audience: 'developers' },
    handle: async (visit) => {
      const endpoint = await ownWebhook(visit);
      const id = numberOf(visit.params.delivery);
      await visit.services.webhooks.endpoints.resend(endpoint, id);
      return new Redirect(`${ALL}/${endpoint.id}/deliveries/${id}`, 'webhook-resent');
    },
    retry: showDelivery,
  }),
];

async function listWebhooks({ services, actor }: DeveloperVisit): Promise<View> {
  const endpoints = await services.webhooks.endpoints.list(actor.id);
  return new View('webhooks/index', { endpoints: endpoints.map(presentEndpoint) }, { title: 'webhooks.title' });
}

function showForm(visit: DeveloperVisit, state: FormState): Promise<View> {
  const { services, actor } = visit;
  const { errors, problem, old, status, retryAfter } = state;
  const choices = choicesOf(services.webhooks.endpoints.types(actor.id), [old.events ?? []].flat());
  const values = { choices, terms: typedTerms(visit), errors, problem, retryAfter, old };
  return Promise.resolve(new View('webhooks/create', values, { title: 'webhooks.create.title', status }));
}

async function createWebhook(visit: DeveloperVisit): Promise<PageOutcome> {
  const { services, actor, request } = visit;
  requireFields(request, ['url']);
  const { endpoint, secret } = await services.webhooks.endpoints.create(inputOf(visit), actor.id, null);
  return leadToSecret(endpoint, secret, 'webhook-created');
}

async function showDelivery(visit: DeveloperVisit, state: FormState = BLANK): Promise<View> {
  const endpoint = await ownWebhook(visit);
  const delivery = await visit.services.webhooks.endpoints.delivery(endpoint, numberOf(visit.params.delivery));
  const { errors, problem, retryAfter, status } = state;
  const values = {
    endpoint: presentEndpoint(endpoint),
    delivery: presentDelivery(delivery),
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
    return backTo(endpoint, messages > 0 ? 'webhook-sent-again' : 'webhook-nothing-to-send');
  };
}

/** Seconds that a form offers. */
function chosenOf({ request }: DeveloperVisit, name: string, offered: readonly number[], usual = USUAL_S): number {
  return offered.find((seconds) => String(seconds) === field(request, name)) ?? usual;
}

function backTo({ id }: WebhookEndpoint, flash: string): Redirect {
  return new Redirect(`${ALL}/${id}`, flash);
}
