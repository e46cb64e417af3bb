import type { Translations } from '../../domain/catalog/index.js';
import type { TextFields } from './catalog-fields.js';

export function presentTranslations(translations: Translations) {
  return Object.fromEntries(
    Object.entries(translations).map(([locale, { name = null, shortDescription = null, description = null }]) => [
      locale,
      { name, short_description: shortDescription, description },
    ]),
  );
}

export function readTranslationInput(body: Readonly<Record<string, TextFields>> | undefined): Translations | undefined {
  if (body === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(body).map(([locale, { name, short_description: shortDescription, description }]) => [
      locale,
      { name, shortDescription, description },
    ]),
  );
}
