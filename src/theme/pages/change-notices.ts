import type { ConsumerActor } from '../../domain/auth/index.js';
import { CHANGE_KINDS, viewerOf, type ChangeKind, type ProductRecord } from '../../domain/catalog/index.js';
import { DELIVERIES } from '../../domain/notifications/index.js';
import { nullIfMissing } from '../../core/index.js';
import { field, listField } from '../form.js';
import { definePage, Redirect, View, type Visit } from '../page.js';

type MyVisit = Visit<ConsumerActor>;

/** A form that says of which changes of a product to hear. */
interface WatchForm {
  readonly product: Pick<ProductRecord, 'slug' | 'name'>;
  readonly isWatched: boolean;
  readonly kinds: readonly { readonly kind: ChangeKind; readonly isChosen: boolean }[];
}

/** What the developer hears of without a choice, where an app called the product. */
const STANDARD: readonly ChangeKind[] = ['breaking', 'deprecation'];

/** The products of which the developer set what to hear, in the order in which they came to the portal. */
export async function watchForms(visit: MyVisit): Promise<WatchForm[]> {
  const { services, actor, locale } = visit;
  const seen = new Map<number, ProductRecord>();
  const canSee = async (id: number) => {
    const product = await services.catalog.products.find(id, viewerOf(actor), locale).catch(nullIfMissing);
    if (product) seen.set(id, product);
    return product !== null;
  };
  const watches = await services.notices.watches(actor.id, canSee);
  return watches.map(({ product, kinds }) => formOf(seen.get(product.id) ?? product, kinds));
}

/** How the developer may hear of changes by mail, with the present choice. */
export async function deliveryChoice(visit: MyVisit) {
  const messages = await visit.words('profile');
  const options = DELIVERIES.map((value) => {
    const word = value === 'none' ? 'none-at-all' : value;
    return { value, label: messages[`watches.${word}`] ?? value };
  });
  return { options, value: await visit.services.changeMails.find(visit.actor.id) };
}

/** The form for one product. */
export async function watchForm({ services, actor }: MyVisit, product: ProductRecord): Promise<WatchForm> {
  const watches = await services.notices.watches(actor.id, (id) => Promise.resolve(id === product.id));
  return formOf(product, watches[0]?.kinds ?? null);
}

/**
 * The end of the reader's last visit to the pages of a product; this one is counted, unless an admin looks as the reader.
 * @returns null for a visitor who is not signed in, and on a first visit
 */
export async function newSince(
  { services, actor, viewing }: Pick<Visit<ConsumerActor | null>, 'services' | 'actor' | 'viewing'>,
  { id }: Pick<ProductRecord, 'id'>,
): Promise<Date | null> {
  if (!actor) return null;
  return viewing ? services.visits.since(actor.id, id) : services.visits.visit(actor.id, id);
}

/** Whether something of that time is new to a reader whose last visit was then. */
export const isNewSince = (since: Date | null) => (at: Date) => since !== null && at > since;

function formOf({ slug, name }: Pick<ProductRecord, 'slug' | 'name'>, chosen: readonly ChangeKind[] | null): WatchForm {
  const kinds = CHANGE_KINDS.map((kind) => ({ kind, isChosen: (chosen ?? STANDARD).includes(kind) }));
  return { product: { slug, name }, isWatched: chosen !== null, kinds };
}

/** Notices of changes for developers, and unsubscribing from mails about them. */
export const changeNoticePages = [
  definePage({
    method: 'get',
    path: '/unsubscribe',
    audience: 'everyone',
    handle: ({ request }) => {
      const given = request.query.get('token')?.at(-1) ?? '';
      const state = request.query.get('state')?.at(-1) ?? '';
      const token = /^[\w.-]{1,100}$/.test(given) ? given : '';
      // Those of digests name no product.
      const about = /^\d+\.0\./.test(token) || state === 'all-done' ? 'all-' : '';
      return Promise.resolve(new View('unsubscribe', { token, state, about }));
    },
  }),
  definePage({
    method: 'post',
    path: '/watches',
    audience: 'developers',
    handle: async ({ services, actor, request, locale }) => {
      const product = await services.catalog.products.find(field(request, 'product'), viewerOf(actor), locale);
      const chosen = listField(request, 'kinds');
      const kinds = CHANGE_KINDS.filter((kind) => chosen.includes(kind));
      await services.notices.watch(actor.id, product, field(request, 'act') === 'stop' ? null : kinds);
      const isProduct = field(request, 'from') === 'product';
      return new Redirect(isProduct ? `/products/${encodeURIComponent(product.slug)}/changes` : '/profile', 'saved');
    },
  }),
  definePage({
    method: 'post',
    path: '/change-mails',
    audience: 'developers',
    handle: async ({ services, actor, request }) => {
      const chosen = field(request, 'change_mails');
      const delivery = DELIVERIES.find((one) => one === chosen);
      if (delivery) await services.changeMails.choose(actor.id, delivery);
      return new Redirect('/profile', delivery && 'saved');
    },
  }),
  definePage({
    method: 'post',
    path: '/notices',
    audience: 'developers',
    handle: async ({ services, actor, request }) => {
      const notice = Number(field(request, 'notice'));
      if (Number.isSafeInteger(notice) && notice > 0) await services.notices.acknowledge(actor.id, notice);
      else await services.notices.readAll(actor.id);
      return new Redirect('/dashboard', 'saved');
    },
  }),
];
