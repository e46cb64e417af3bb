import { idOfAnswer, namesOf, presentOf, translationsOf, type Doc, type Kind, type Present } from './kind.js';
import type { AdminPort } from './port.js';
import { isSameField } from './simple-kinds.js';
import { FileValue } from './values.js';

const FIELDS = [
  ...['name', 'short_description', 'text', 'group', 'position', 'visibility', 'published_at'],
  ...['audiences', 'translations'],
];

/** Guides of the portal by slug, those of a product as `payments/quickstart`; the text lies beside, in Markdown. */
export const guideKind: Kind = makeGuideKind('guide');

/** News, by slug. */
export const newsKind: Kind = makeGuideKind('news');

function makeGuideKind(name: 'guide' | 'news'): Kind {
  const facts = { name: name === 'guide' ? 'guides' : 'news', key: name, resource: 'guides' } as const;
  return {
    ...{ ...facts, folder: true, fields: FIELDS, operation: 'createGuide' },
    list: async (port) => {
      const filters = JSON.stringify({ kind: name });
      const shown = await port.all('listAdminGuides', { with: 'audiences,translations', filters });
      // Those of the folder `content` are files already.
      const own = shown.filter(({ file }) => file === null);
      return own.map((guide) => presentOf(facts, { ...guide, [name]: addressOf(guide) }, shape(guide)));
    },
    attachments: (_port, { shown }) => {
      const text = (shown.description ?? '') as string;
      return Promise.resolve(text === '' ? [] : [{ field: 'text', extension: '.md', bytes: Buffer.from(`${text}\n`) }]);
    },
    isSame: async (_port, field, wanted, present) => {
      if (field === 'text') return (await textOf(wanted)) === present.shown.description;
      if (field === 'position') return (wanted ?? 0) === present.shown.position;
      if (field === 'published_at') return timeOf(wanted) === timeOf(present.shown.published_at);
      return isSameField(field, wanted, present);
    },
    create: async (port, key, { text, ...doc }) => {
      const [slug = '', product = null] = key.split('/').reverse();
      const body = {
        kind: name,
        product,
        slug,
        ...doc,
        ...(text !== undefined && { description: await textOf(text) }),
      };
      return idOfAnswer(await port.call('createGuide', { body }));
    },
    update: async (port, { id, etag }, { text, ...changes }) => {
      const body = { ...changes, ...(text !== undefined && { description: await textOf(text) }) };
      await port.call('updateGuide', { params: { id }, body, ifMatch: etag });
    },
    remove: async (port: AdminPort, { id, etag }: Present) =>
      void (await port.call('deleteGuide', { params: { id }, ifMatch: etag })),
  };
}

function addressOf({ product, slug }: Doc): string {
  const owner = product as { readonly slug: string } | null;
  return owner === null ? String(slug) : `${owner.slug}/${String(slug)}`;
}

function shape(guide: Doc): Doc {
  const { name, short_description, group, position, visibility, published_at } = guide;
  return {
    ...{ name, short_description, group, visibility, published_at },
    position: position === 0 ? null : position,
    audiences: namesOf(guide.audiences, 'name'),
    translations: translationsOf(guide.translations),
  };
}

/** What an export wrote has one more line break at its end, as files have. */
async function textOf(wanted: unknown): Promise<string> {
  if (!(wanted instanceof FileValue)) return (wanted ?? '') as string;
  return (await wanted.read()).toString('utf8').replace(/\n$/, '');
}

const timeOf = (value: unknown) => (value === null || value === undefined ? null : new Date(value as string).getTime());
