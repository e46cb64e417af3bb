import { findRows, replaceRows, type Database, type Transaction } from '../../database/index.js';
import { GUIDE_TRANSLATIONS, type GuideRow, type GuideTexts, type GuideTranslations } from './guide.js';

const COLUMNS = {
  locale: 'locale',
  name: 'name',
  shortDescription: 'short_description',
  description: 'description',
  group: 'nav_group',
};

interface TextsRow extends Required<GuideTexts> {
  readonly locale: string;
}

/** Translations of some guides, by id; those without any are absent. */
export async function readGuideTexts(
  database: Database,
  ids: readonly number[],
  transaction?: Transaction,
): Promise<ReadonlyMap<number, GuideTranslations>> {
  const options = { columns: COLUMNS, order: 'locale', transaction };
  const found = await findRows<TextsRow>(database, GUIDE_TRANSLATIONS, ids, options);
  const byLocale = (rows: readonly TextsRow[]) =>
    Object.fromEntries(rows.map(({ locale, ...texts }) => [locale, texts]));
  return new Map([...found].map(([id, rows]) => [id, byLocale(rows)]));
}

/** Replaces the translations of a guide. @returns the ones before and after; null when nothing changed */
export async function changeGuideTexts(
  database: Database,
  id: number,
  translations: GuideTranslations,
  transaction: Transaction,
): Promise<readonly [before: unknown, after: unknown] | null> {
  const read = async () => (await readGuideTexts(database, [id], transaction)).get(id) ?? {};
  const before = await read();
  const rows = Object.entries(translations).map(([locale, texts]) => ({
    locale,
    name: texts.name ?? null,
    short_description: texts.shortDescription ?? null,
    description: texts.description ?? null,
    nav_group: texts.group ?? null,
  }));
  await replaceRows(database, GUIDE_TRANSLATIONS, id, rows, transaction);
  const after = await read();
  return JSON.stringify(before) === JSON.stringify(after) ? null : [before, after];
}

/** The guide with its texts in a locale, each with its own fallback. */
export function translateGuide<T extends GuideRow>(guide: T, texts: GuideTexts | undefined): T {
  if (!texts) return guide;
  return {
    ...guide,
    name: texts.name ?? guide.name,
    shortDescription: texts.shortDescription ?? guide.shortDescription,
    description: texts.description ?? guide.description,
    group: texts.group ?? guide.group,
  };
}
