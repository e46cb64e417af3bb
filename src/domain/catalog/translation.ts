import { findRows, replaceRows, type Database, type OwnedRows, type Transaction } from '../../database/index.js';
import type { ValueChange } from './join-table.js';

/** Texts of a record in another language; null or absent ones fall back to the default locale. */
export interface Translation {
  readonly name?: string | null;
  readonly shortDescription?: string | null;
  readonly description?: string | null;
}

/** Locale → texts. */
export type Translations = Readonly<Record<string, Translation>>;

const COLUMNS = { name: 'name', shortDescription: 'short_description', description: 'description' };

/** Where the texts of a kind of record stand in other languages. */
export interface TranslatedRows<T extends Translation = Translation> extends OwnedRows {
  /** Text → its column; absent for the three texts of the catalog. */
  readonly columns?: Readonly<Record<keyof T & string, string>>;
}

/** Translations of some records, by id; records without any are absent. */
export async function readTranslations<T extends Translation>(
  database: Database,
  table: TranslatedRows<T>,
  ids: readonly number[],
  transaction?: Transaction,
): Promise<Map<number, Readonly<Record<string, T>>>> {
  const columns: Readonly<Record<string, string>> = { locale: 'locale', ...(table.columns ?? COLUMNS) };
  const options = { columns, order: 'locale', transaction };
  const found = await findRows<Record<string, string | null>>(database, table, ids, options);
  return new Map(
    [...found].map(([id, rows]) => [
      id,
      Object.fromEntries(rows.map(({ locale, ...texts }) => [locale, texts as Translation as T])),
    ]),
  );
}

/** Replaces the translations of a record. */
export function replaceTranslations<T extends Translation>(
  database: Database,
  table: TranslatedRows<T>,
  id: number,
  translations: Readonly<Record<string, T>>,
  transaction: Transaction,
): Promise<void> {
  const columns = Object.entries(table.columns ?? COLUMNS) as [keyof T, string][];
  const rows = Object.entries(translations).map(([locale, texts]) => ({
    ...{ locale },
    ...Object.fromEntries(columns.map(([text, column]) => [column, (texts[text] ?? null) as string | null])),
  }));
  return replaceRows(database, table, id, rows, transaction);
}

/** Replaces the translations of a record. @returns null when nothing changed */
export async function changeTranslations<T extends Translation>(
  database: Database,
  table: TranslatedRows<T>,
  id: number,
  translations: Readonly<Record<string, T>>,
  transaction: Transaction,
): Promise<ValueChange | null> {
  const read = async () => (await readTranslations(database, table, [id], transaction)).get(id) ?? {};
  const before = await read();
  await replaceTranslations(database, table, id, translations, transaction);
  const after = await read();
  return JSON.stringify(before) === JSON.stringify(after) ? null : [before, after];
}

/** The record with its texts in a locale, each with its own fallback. */
export function translate<R extends object>(record: R, texts: Translation | undefined): R {
  const given = Object.entries(texts ?? {}).filter(([, text]) => (text ?? null) !== null);
  return given.length === 0 ? record : { ...record, ...Object.fromEntries(given) };
}
