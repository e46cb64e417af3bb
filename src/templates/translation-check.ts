import type { TemplateFiles } from './template-files.js';
import { readOwnMessages, type Messages } from './messages.js';

/** A message that is missing from a translation, or wrong. */
interface MessageFault {
  /** Dotted, as in templates. */
  readonly key: string;
  /** The text that pages show instead, and to translate from. */
  readonly source: string;
}

/** How complete the messages of a locale are. */
export interface TranslationReport {
  readonly locale: string;
  /** Number of messages to translate. */
  readonly words: number;
  /** Not in this locale. */
  readonly missing: readonly MessageFault[];
  /** Still the English text. */
  readonly untranslated: readonly MessageFault[];
  /** With a placeholder that is never filled in: `{nom}` where the source has `{name}`. */
  readonly unknownValues: readonly (MessageFault & { readonly values: readonly string[] })[];
}

const PLURAL = '.other';

/**
 * Every message that a locale needs, with the text to translate from: the English one, or that of the default locale where
 * there is none. Plurals have the forms of the locale.
 * @throws UnreadableWordsError
 */
export async function readTranslatable(files: TemplateFiles, defaultLocale: string, locale: string): Promise<Messages> {
  const source = new Map([...(await readOwnMessages(files, defaultLocale)), ...(await readOwnMessages(files, 'en'))]);
  // A key may end in `other` without being a plural.
  const isPlural = (name: string) => source.has(`${name}.one`) && source.has(`${name}${PLURAL}`);
  const forms = pluralForms(locale);
  const messages = new Map<string, string>();
  for (const [key, text] of source) {
    if (!isPlural(stem(key))) messages.set(key, text);
    else if (key.endsWith(PLURAL)) {
      for (const form of forms) messages.set(`${stem(key)}.${form}`, source.get(`${stem(key)}.${form}`) ?? text);
    }
  }
  return messages;
}

/** Compares the messages of a locale with those it needs. @throws UnreadableWordsError */
export async function checkTranslation(
  files: TemplateFiles,
  defaultLocale: string,
  locale: string,
): Promise<TranslationReport> {
  const source = await readTranslatable(files, defaultLocale, locale);
  const own = await readOwnMessages(files, locale);
  const isEnglish = new Intl.Locale(locale).language === 'en';
  const missing: MessageFault[] = [];
  const untranslated: MessageFault[] = [];
  const unknownValues: TranslationReport['unknownValues'][number][] = [];
  for (const [key, text] of source) {
    const message = own.get(key);
    if (message === undefined) missing.push({ key, source: text });
    else if (!isEnglish && message === text && isSentence(text)) untranslated.push({ key, source: text });
    const known = new Set([...valuesOf(text), 'count', 'portal']);
    const values = valuesOf(message ?? '').filter((name) => !known.has(name));
    if (values.length > 0) unknownValues.push({ key, source: text, values });
  }
  return { locale, words: source.size, missing, untranslated, unknownValues };
}

function stem(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf('.'), 0));
}

// A portal counts no more than this. The forms for millions (French, Spanish) fall back to `other`.
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
