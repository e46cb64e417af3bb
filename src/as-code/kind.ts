import { tagOf, type AdminPort } from './port.js';

export type Doc = Readonly<Record<string, unknown>>;

/** A record of the portal in the form that files have. */
export interface Present {
  readonly key: string;
  readonly id: number;
  /** Version, as `If-Match` takes it. */
  readonly etag: string;
  readonly doc: Doc;
  /** As the API shows it. */
  readonly shown: Doc;
}

/** What the API calls records of a kind. */
export const resourceOf = ({ resource, name }: Pick<Kind, 'resource' | 'name'>): string => resource ?? name;

/** A file beside a record: a document, a picture, a text. */
export interface Attachment {
  readonly field: string;
  /** Appended to the name of the record. */
  readonly extension: string;
  readonly bytes: Buffer;
}

/** A kind of record that files can describe. */
export interface Kind {
  /** As in `--scope products/payments`; also the name of the file or folder. */
  readonly name: string;
  /** Field that names a record, of the API where it has one. */
  readonly key: string;
  /** As the API calls such records where several kinds are one there; the name by default. */
  readonly resource?: string;
  /** One file per record, in a folder; else all in one file. */
  readonly folder?: true;
  /** In the order of files; what is not among them is refused. */
  readonly fields: readonly string[];
  /** Operation whose body describes the fields, for editors. */
  readonly operation: string;
  list(port: AdminPort): Promise<readonly Present[]>;
  attachments?(port: AdminPort, present: Present): Promise<readonly Attachment[]>;
  /** Whether a field is as wanted, where comparing values is not enough. */
  isSame?(port: AdminPort, field: string, wanted: unknown, present: Present): Promise<boolean>;
  /** Begins what takes long of a step whose turn comes soon. */
  prepare?(port: AdminPort, doc: Doc): Promise<void>;
  /** @returns its id */
  create(port: AdminPort, key: string, doc: Doc): Promise<number>;
  /** @param changes the fields that differ, with their new values */
  update(port: AdminPort, present: Present, changes: Doc): Promise<void>;
  remove(port: AdminPort, present: Present): Promise<void>;
  /** How many keys would lose it. */
  countKeys?(port: AdminPort, present: Present): Promise<number>;
  /** Names that stay whatever files say, as they ship with the portal. */
  readonly isKept?: (present: Present) => boolean;
}

/** Without what is empty: a field that a file does not have is left as it is. */
export function withoutEmpty(doc: Doc): Doc {
  return Object.fromEntries(Object.entries(doc).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0 && !(value instanceof Date);
}

/** Translations without texts that there are not, by locale. */
export function translationsOf(value: unknown): Doc {
  const found = Object.entries((value ?? {}) as Record<string, Doc>).map(([locale, texts]) => [
    locale,
    withoutEmpty(texts),
  ]);
  return withoutEmpty(Object.fromEntries(found.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))) as Doc);
}

/** Names of linked records, sorted. */
export const namesOf = (records: unknown, field: string): readonly string[] =>
  ((records ?? []) as Doc[]).map((record) => String(record[field])).sort();

/** What `present` lists are made of. */
export function presentOf(kind: Pick<Kind, 'key'>, shown: Doc, doc: Doc): Present {
  return { key: String(shown[kind.key]), id: Number(shown.id), etag: tagOf(shown), doc: withoutEmpty(doc), shown };
}

export const idOfAnswer = (data: unknown): number => Number((data as { id?: unknown }).id);

/** How files call themselves, from `portal.yaml`. */
export interface Manager {
  readonly name: string;
  readonly source: string | null;
}
