const names = new Map<string, string>();

/** The name of a language in that language: العربية. */
export function languageName(locale: string): string {
  const known = names.get(locale);
  if (known !== undefined) return known;
  const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  const shown = name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  names.set(locale, shown);
  return shown;
}
