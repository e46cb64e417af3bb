import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EnvValue, FileValue } from './values.js';
import { idOfAnswer, presentOf, translationsOf, type Attachment, type Doc, type Kind, type Present } from './kind.js';
import { tagOf, type AdminPort } from './port.js';

interface Operations {
  readonly list: string;
  readonly create: string;
  readonly update: string;
  readonly delete: string;
}

type Simple = Pick<Kind, 'name' | 'key' | 'fields' | 'isKept'> & {
  readonly operations: Operations;
  readonly query?: Readonly<Record<string, string>>;
  /** The fields of a file, of a record as the API shows it. */
  shape(shown: Doc): Doc;
};

/** A kind whose records are made and changed by one call each. */
function makeSimpleKind({ operations, query, shape, ...kind }: Simple): Kind {
  return {
    ...kind,
    operation: operations.create,
    list: async (port) => (await port.all(operations.list, query)).map((shown) => presentOf(kind, shown, shape(shown))),
    create: async (port, key, doc) =>
      idOfAnswer(await port.call(operations.create, { body: { [kind.key]: key, ...doc } })),
    update: async (port, { id, etag }, changes) =>
      void (await port.call(operations.update, { params: { id }, body: changes, ifMatch: etag })),
    remove: async (port, { id, etag }) => void (await port.call(operations.delete, { params: { id }, ifMatch: etag })),
  };
}

export const roleKind = makeSimpleKind({
  name: 'roles',
  key: 'name',
  fields: ['label', 'permissions'],
  operations: { list: 'listRoles', create: 'createRole', update: 'updateRole', delete: 'deleteRole' },
  shape: ({ label, permissions }) => ({ label, permissions: [...((permissions ?? []) as string[])].sort() }),
});

const plainAudiences = makeSimpleKind({
  name: 'audiences',
  key: 'name',
  fields: ['description'],
  operations: { list: 'listAudiences', create: 'createAudience', update: 'updateAudience', delete: 'deleteAudience' },
  shape: ({ description }) => ({ description }),
});

export const audienceKind: Kind = {
  ...plainAudiences,
  remove: async (port, present) => {
    // Products that lost it a moment ago gave it a new version: what it says is compared in place of that.
    const latest = (await plainAudiences.list(port)).find(({ id }) => id === present.id);
    const isSame = latest !== undefined && isDeepStrictEqual(latest.doc, present.doc);
    await plainAudiences.remove(port, isSame ? latest : present);
  },
};

const UPLOADED = /\/files\/[0-9a-f]{64}\.\w+$/;

const plainSettings = makeSimpleKind({
  name: 'settings',
  key: 'key',
  fields: ['type', 'label', 'group', 'public', 'value'],
  operations: { list: 'listSettings', create: 'createSetting', update: 'updateSetting', delete: 'deleteSetting' },
  // The value of a secret never leaves the portal; an uploaded logo is a file of that portal alone.
  shape: ({ type, label, group, public: isPublic, value }) => ({
    ...{ type, label, group, public: isPublic },
    ...(type !== 'secret' && !UPLOADED.test(String(value)) && { value }),
  }),
});

export const settingKind: Kind = {
  ...plainSettings,
  // Those that the portal itself reads are there from the beginning; without a value there is nothing to tell.
  list: async (port) =>
    (await plainSettings.list(port)).filter(({ shown }) => shown.description === null || shown.value !== null),
  isSame: (_port, field, wanted, present) => {
    // A secret is sent only where none is set: a stored one cannot be compared, and would be a change in every plan.
    if (field === 'value' && present.shown.type === 'secret') return Promise.resolve(present.shown.value !== null);
    const value = wanted instanceof EnvValue ? wanted.value : wanted;
    return Promise.resolve(JSON.stringify(value ?? null) === JSON.stringify(present.doc[field] ?? null));
  },
  isKept: ({ shown }) => shown.description !== null,
};

/** The picture of a record: an address, or a file beside it. */
export async function writePicture(
  port: AdminPort,
  operation: string,
  id: number,
  picture: FileValue,
  ifMatch: string,
) {
  return port.call(operation, { params: { id }, file: await picture.read(), ifMatch });
}

export async function isSamePicture(wanted: unknown, present: Present): Promise<boolean> {
  const address = (present.shown.thumbnail_url ?? '') as string;
  if (!(wanted instanceof FileValue)) return (wanted ?? '') === address;
  return address.includes(
    createHash('sha256')
      .update(await wanted.read())
      .digest('hex'),
  );
}

/** An uploaded picture as a file; none for an address elsewhere. */
export async function pictureOf(port: AdminPort, { shown }: Present): Promise<Attachment[]> {
  const address = (shown.thumbnail_url ?? '') as string;
  if (!UPLOADED.test(address)) return [];
  const name = address.split('/').at(-1) ?? '';
  const { bytes } = await port.read('getFile', { name });
  return bytes === null ? [] : [{ field: 'thumbnail', extension: `.${name.split('.').at(-1)}`, bytes }];
}

export const pictureAddress = ({ thumbnail_url: url }: Doc): unknown => (UPLOADED.test(String(url)) ? null : url);

const plainCategories = makeSimpleKind({
  name: 'categories',
  key: 'slug',
  fields: ['name', 'short_description', 'description', 'thumbnail', 'translations'],
  operations: {
    list: 'listAdminCategories',
    create: 'createCategory',
    update: 'updateCategory',
    delete: 'deleteCategory',
  },
  shape: (shown) => ({
    ...{ name: shown.name, short_description: shown.short_description, description: shown.description },
    ...{ thumbnail: pictureAddress(shown), translations: translationsOf(shown.translations) },
  }),
});

/** Splits a picture off, which is sent by itself when it is a file. */
export function splitPicture({ thumbnail, ...doc }: Doc): { readonly body: Doc; readonly picture: FileValue | null } {
  if (thumbnail instanceof FileValue) return { body: doc, picture: thumbnail };
  return { body: thumbnail === undefined ? doc : { ...doc, thumbnail_url: thumbnail }, picture: null };
}

export const categoryKind: Kind = {
  ...plainCategories,
  attachments: pictureOf,
  isSame: (_port, field, wanted, present) =>
    field === 'thumbnail' ? isSamePicture(wanted, present) : Promise.resolve(isSameField(field, wanted, present)),
  create: async (port, key, doc) => {
    const { body, picture } = splitPicture(doc);
    const made = await port.call('createCategory', { body: { slug: key, ...body } });
    if (picture) await writePicture(port, 'setCategoryThumbnail', idOfAnswer(made), picture, tagOf(made as Doc));
    return idOfAnswer(made);
  },
  update: async (port, { id, etag }, changes) => {
    const { body, picture } = splitPicture(changes);
    let tag = etag;
    if (Object.keys(body).length > 0)
      tag = tagOf((await port.call('updateCategory', { params: { id }, body, ifMatch: tag })) as Doc);
    if (picture) await writePicture(port, 'setCategoryThumbnail', id, picture, tag);
  },
};

/** Translations are compared without texts that are missing. */
export function isSameField(field: string, wanted: unknown, present: Present): boolean {
  const value = field === 'translations' ? translationsOf(wanted) : wanted;
  return isSameValue(value, present.doc[field]);
}

function isSameValue(wanted: unknown, present: unknown): boolean {
  return JSON.stringify(sortDeeply(wanted)) === JSON.stringify(sortDeeply(present));
}

function sortDeeply(value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null;
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    return value.every((item) => typeof item === 'string') ? [...value].sort() : value.map(sortDeeply);
  }
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, item]) => [name, sortDeeply(item)] as const);
  const filled = entries.filter(([, item]) => item !== null).sort(([a], [b]) => (a < b ? -1 : 1));
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
