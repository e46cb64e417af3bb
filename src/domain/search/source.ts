import type { EventBus } from '../../core/index.js';
import type { Transaction } from '../../database/index.js';
import { selectVisibleProducts, type Viewer } from '../catalog/index.js';
import type { Sql } from './full-text.js';
import { ANY_LOCALE, type SearchDocument, type SearchScope } from './search-entry.js';

/** Notes that a record is to be indexed again, within the transaction that changes it. */
export type Mark = (source: string, recordId: number, transaction: Transaction) => Promise<void>;

/**
 * A kind of records that can be found. Everything about it is here: what is indexed of a record, when, and who may see
 * it. One more source is one more file, listed in `search-services.ts`.
 */
export interface SearchSource {
  /** At most 16 characters; kept with each entry. */
  readonly name: string;
  /** Marks records when they change. */
  listen(events: EventBus<Transaction>, mark: Mark): void;
  /** All records that may be found by somebody, and when they last changed. */
  list(): Promise<{ readonly id: number; readonly updatedAt: Date }[]>;
  /** What can be found of a record; null if it is gone, or is for nobody. @throws ServiceUnavailableError to try it later */
  read(id: number): Promise<SearchScope | null>;
  /**
   * Who may find it: a condition over `<alias>.product_id` and `<alias>.record_id`. It is asked at every search, so a change of
   * visibility needs no indexing.
   */
  visible(viewer: Viewer, alias: string): Sql;
}

/** Of a product that the viewer sees. The products are looked up once for a statement, not once for a row. */
export function ofVisibleProduct(viewer: Viewer, alias: string): Sql {
  const { where, values } = selectVisibleProducts(viewer, 'vp');
  return { sql: `${alias}.product_id IN (SELECT vp.id FROM portal_products vp WHERE ${where})`, values };
}

/** Texts of a record in the default locale and, by locale, in others, where absent ones fall back. */
interface TranslatedTexts {
  readonly name: string;
  readonly shortDescription: string;
  readonly description: string;
  readonly translations: Readonly<
    Record<string, { readonly [K in 'name' | 'shortDescription' | 'description']?: string | null }>
  >;
}

/** One document for all languages, or, once something is translated, one for each. */
export function writeInEachLocale(
  { name, shortDescription, description, translations }: TranslatedTexts,
  locales: readonly string[],
  rest: Pick<SearchDocument, 'type' | 'place' | 'keywords'>,
): SearchDocument[] {
  const wanted = Object.keys(translations).length === 0 ? [ANY_LOCALE] : locales;
  return wanted.map((locale) => {
    const texts = translations[locale];
    return {
      ...rest,
      locale,
      name: texts?.name ?? name,
      summary: texts?.shortDescription ?? shortDescription,
      body: plainText(texts?.description ?? description),
    };
  });
}

/** Lines that are no text: what opens and closes boxes, and operations, which may be of products that the reader does not see. */
const DIRECTIVES = /^[ \t]*::.*$/gm;

/** Markdown as people read it, near enough for words and snippets. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(DIRECTIVES, '')
    .replaceAll(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1')
    .replaceAll(/<\/?[a-z][^>\n]{0,300}>/gi, ' ')
    .replaceAll(/^[ \t]*(?:[#>]+|[-*+](?=\s)|\d+[.)](?=\s)|```.*|~~~.*|[-=|: ]{3,})/gm, ' ')
    .replaceAll(/[`*|]|(?<!\w)_|_(?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
