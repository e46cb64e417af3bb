import type { TemplateFiles } from './template-files.js';
import { readOwnMessages, type Messages } from './messages.js';

/** A word that a translation lacks, or says wrongly. */
interface WordFault {
  /** Dotted, as templates say it. */
  readonly key: string;
  /** What pages show instead, or what it is translated from. */
  readonly source: string;
}

/** How complete the words of a locale are. */
export interface TranslationReport {
  readonly locale: string;
  /** How many words there are to say. */
  readonly words: number;
  /** Without a word in this locale. */
  readonly missing: readonly WordFault[];
  /** Still the English sentence. */
  readonly untranslated: readonly WordFault[];
  /** With a value that the program does not fill in: `{nom}` where the source has `{name}`. */
  readonly unknownValues: readonly (WordFault & { readonly values: readonly string[] })[];
}

const PLURAL = '.other';

/**
 * Every word that a locale has to say, with the text to translate from: English, and what the default locale has beside it.
 * Plurals are in the forms of the locale.
 * @throws UnreadableWordsError
 */
export async function translatableWords(files: TemplateFiles, defaultLocale: string, locale: string): Promise<Messages> {
  const source = new Map([...(await readOwnMessages(files, defaultLocale)), ...(await readOwnMessages(files, 'en'))]);
  // A word may well be called `other` without being a plural.
  const isPlural = (name: string) => source.has(`${name}.one`) && source.has(`${name}${PLURAL}`);
  const forms = pluralForms(locale);
  const words = new Map<string, string>();
  for (const [key, text] of source) {
    if (!isPlural(stem(key))) words.set(key, text);
    else if (key.endsWith(PLURAL)) {
      for (const form of forms) words.set(`${stem(key)}.${form}`, source.get(`${stem(key)}.${form}`) ?? text);
    }
  }
  return words;
}

/** Compares what a locale says with what it has to say. @throws UnreadableWordsError */
export async function checkTranslation(
  files: TemplateFiles,
  defaultLocale: string,
  locale: string,
): Promise<TranslationReport> {
  const source = await translatableWords(files, defaultLocale, locale);
  const own = await readOwnMessages(files, locale);
  const isEnglish = new Intl.Locale(locale).language === 'en';
  const missing: WordFault[] = [];
  const untranslated: WordFault[] = [];
  const unknownValues: TranslationReport['unknownValues'][number][] = [];
  for (const [key, text] of source) {
    const word = own.get(key);
    if (word === undefined) missing.push({ key, source: text });
    else if (!isEnglish && word === text && isSentence(text)) untranslated.push({ key, source: text });
    const known = new Set([...valuesOf(text), 'count', 'portal']);
    const values = valuesOf(word ?? '').filter((name) => !known.has(name));
    if (values.length > 0) unknownValues.push({ key, source: text, values });
  }
  return { locale, words: source.size, missing, untranslated, unknownValues };
}

function stem(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf('.'), 0));
}

// What people count in a portal. Forms for millions (French, Spanish) fall back to `other`.
function pluralForms(locale: string): Set<string> {
  const rules = new Intl.PluralRules(locale);
  return new Set([...Array.from({ length: 201 }, (_, count) => rules.select(count)), 'other']);
}

function valuesOf(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

// Single words are alike in many languages: API, Status, Documentation.
function isSentence(text: string): boolean {
  const words = text.replaceAll(/\{\w+\}/g, '').split(/[^\p{L}]+/u);
  return words.filter((word) => word.length > 1).length > 1;
}
