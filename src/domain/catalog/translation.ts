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

const COLUMNS = {
  locale: 'locale',
  name: 'name',
  shortDescription: 'short_description',
  description: 'description',
};

interface TranslationRow extends Required<Translation> {
  readonly locale: string;
}

/** Translations of some records, by id; records without any are absent. */
export async function readTranslations(
  database: Database,
  table: OwnedRows,
  ids: readonly number[],
  transaction?: Transaction,
): Promise<Map<number, Translations>> {
  const options = { columns: COLUMNS, order: 'locale', transaction };
  const found = await findRows<TranslationRow>(database, table, ids, options);
  const byLocale = (rows: readonly TranslationRow[]) =>
    Object.fromEntries(rows.map(({ locale, ...texts }) => [locale, texts]));
  return new Map([...found].map(([id, rows]) => [id, byLocale(rows)]));
}

/** Replaces the translations of a record. */
export function replaceTranslations(
  database: Database,
  table: OwnedRows,
  id: number,
  translations: Translations,
  transaction: Transaction,
): Promise<void> {
  const rows = Object.entries(translations).map(
    ([locale, { name = null, shortDescription = null, description = null }]) => ({
      locale,
      name,
      short_description: shortDescription,
      description,
    }),
  );
  return replaceRows(database, table, id, rows, transaction);
}

/** Replaces the translations of a record. @returns null when nothing changed */
export async function changeTranslations(
  database: Database,
  table: OwnedRows,
  id: number,
  translations: Translations,
  transaction: Transaction,
): Promise<ValueChange | null> {
  const read = async () => (await readTranslations(database, table, [id], transaction)).get(id) ?? {};
  const before = await read();
  await replaceTranslations(database, table, id, translations, transaction);
  const after = await read();
  return JSON.stringify(before) === JSON.stringify(after) ? null : [before, after];
}

/** The record with its texts in a locale, each with its own fallback. */
export function translate<T extends { name: string; shortDescription: string; description: string }>(
  record: T,
  texts: Translation | undefined,
): T {
  if (!texts) return record;
  return {
    ...record,
    name: texts.name ?? record.name,
    shortDescription: texts.shortDescription ?? record.shortDescription,
    description: texts.description ?? record.description,
  };
}
