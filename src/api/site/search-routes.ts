import Joi from 'joi';
import { viewerOf } from '../../domain/catalog/index.js';
import {
  missList,
  SEARCH_TYPES,
  type Piece,
  type SearchHit,
  type SearchMiss,
  type SearchType,
} from '../../domain/search/index.js';
import { mapPage } from '../../core/index.js';
import { paginated } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { idReply } from '../fields.js';

const LONGEST_QUERY = 200;
const MOST_PER_PAGE = 50;
const LAST_PAGE = 200;

interface SearchQuery {
  readonly q: string;
  readonly type?: SearchType;
  readonly page: number;
  readonly per_page: number;
}

const typeField = Joi.string().valid(...SEARCH_TYPES);

/** A number that comes as text. */
const count = (most: number, standard: number) =>
  Joi.string()
    .pattern(/^[1-9]\d{0,3}$/)
    .custom((text: string, helpers) => (Number(text) <= most ? Number(text) : helpers.error('string.pattern.base')))
    .messages({ 'string.pattern.base': `{#label} must be a whole number from 1 to ${most}` })
    .default(standard)
    .example(String(standard));

const searchQuery = Joi.object<SearchQuery>({
  q: Joi.string()
    .allow('')
    .max(LONGEST_QUERY)
    .default('')
    .description('Any words, complete or their beginnings; without any nothing is found.')
    .example('refund'),
  type: typeField.description('Only things of this kind.').example('operation'),
  page: count(LAST_PAGE, 1),
  per_page: count(MOST_PER_PAGE, 20),
});

const piecesReply = Joi.array()
  .items(Joi.object({ text: Joi.string().required(), is_marked: Joi.boolean().required() }))
  .description('Plain text in pieces, never markup; the found ones are marked.')
  .example([
    { text: 'Send a ', is_marked: false },
    { text: 'refund', is_marked: true },
  ]);

const hitReply = Joi.object({
  type: typeField.required().example('operation'),
  name: Joi.string().allow('').required().example('Refund a payment'),
  title: piecesReply.required(),
  summary: piecesReply.required(),
  snippet: piecesReply.required(),
  product: Joi.object({
    slug: Joi.string().required().example('payments'),
    name: Joi.string().required().example('Payments'),
  })
    .allow(null)
    .required(),
  place: Joi.string()
    .allow('')
    .required()
    .description(
      'Where it is: the slug of a product, the address of an operation in its reference, the name of a schema, the slug of a guide or of news, the id of a change.',
    )
    .example('refundPayment'),
}).label('SearchHit');

const searchReply = Joi.object({
  items: Joi.array().items(hitReply).required(),
  total: Joi.number().integer().required().description('Of all that the caller may see.').example(1),
  page: Joi.number().integer().required().example(1),
  per_page: Joi.number().integer().required().example(20),
  is_guessed: Joi.boolean()
    .required()
    .description('Whether words were taken for misspelt, because nothing was found with them as they are.')
    .example(false),
}).label('SearchResult');

const missReply = Joi.object({
  id: idReply.required(),
  day: Joi.string().required().description('In UTC.').example('2026-11-24'),
  locale: Joi.string().required().example('en'),
  query: Joi.string().required().example('fax'),
  count: Joi.number().integer().required().example(3),
}).label('SearchMiss');

export const searchRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'optional',
    tag: 'Search',
    method: 'get',
    path: '/search',
    operation: 'search',
    summary: 'Search the portal',
    description:
      'Products, the operations and schemas of their documents, guides, news and published changes: what the caller may see, and ' +
      'nothing of the rest, in counts neither. Names come before summaries before texts, and when nothing is found, words ' +
      'that are spelt alike count. A change is found some seconds after it was made.',
    localized: true,
    query: searchQuery,
    reply: { 200: searchReply },
    handle: async ({ services, actor, query, locale }) => {
      const { q, type = null, page, per_page: perPage } = query;
      const asked = { q, type, page, perPage, isDone: true };
      const found = await services.search.finder.search(asked, viewerOf(actor), locale);
      const { items, total, isGuessed } = found;
      return { items: items.map(presentHit), total, page, per_page: perPage, is_guessed: isGuessed };
    },
  }),
  defineRoute({
    context: 'admin',
    tag: 'Searches without result',
    method: 'get',
    path: '/search-misses',
    operation: 'listSearchMisses',
    summary: 'List searches without result',
    description:
      'What readers looked for in vain, by day and language, without who did. Texts that look like an address, a number ' +
      'or a secret are never kept.',
    policy: ['view', 'searches'],
    list: missList.options,
    reply: { 200: Joi.array().items(missReply) },
    handle: async ({ services, list }) => paginated(mapPage(await services.search.misses.list(list), presentMiss)),
  }),
];

function presentHit({ type, name, title, summary, snippet, product, place }: SearchHit) {
  return {
    ...{ type, name, place },
    product: product && { slug: product.slug, name: product.name },
    ...{ title: presentPieces(title), summary: presentPieces(summary), snippet: presentPieces(snippet) },
  };
}

const presentPieces = (pieces: readonly Piece[]) => pieces.map(({ text, isMarked }) => ({ text, is_marked: isMarked }));

function presentMiss({ id, day, locale, query, count: times }: SearchMiss) {
  return { id, day, locale, query, count: times };
}
