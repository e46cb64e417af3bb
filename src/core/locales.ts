import { ValidationError } from './errors.js';

export interface Locales {
  /** Locale of the records' own fields; the others are translations. */
  readonly defaultLocale: string;
  /** Every selectable locale, including the default one. */
  readonly locales: readonly string[];
}

/**
 * Translations must be for selectable locales other than the default one, which the record's own fields hold.
 * @param translations locale → texts
 * @throws ValidationError on `translations`
 */
export function requireLocales(translations: object | undefined, { locales, defaultLocale }: Locales): void {
  const others = locales.filter((locale) => locale !== defaultLocale);
  const wrong = Object.keys(translations ?? {}).filter((locale) => !others.includes(locale));
  if (wrong.length === 0) return;
  const offer =
    others.length > 0 ? `Translations may be in: ${others.join(', ')}.` : 'No other language is configured.';
  const faults = wrong.map((locale) =>
    locale === defaultLocale
      ? `${locale} is the default language: its texts are the fields of the record itself.`
      : `${locale} is not one of the configured languages. ${offer}`,
  );
  throw new ValidationError({ translations: faults });
}
