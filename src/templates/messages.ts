import type { TemplateFiles } from './template-files.js';

type Tree = { readonly [key: string]: string | Tree };
export type MessageValues = Readonly<Record<string, string | number | Date | null | undefined>>;

/** The messages of one locale, by dotted key. */
export type Messages = ReadonlyMap<string, string>;

/** Right-to-left scripts among the languages that hosts may add. */
const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(languageOf(locale)) ? 'rtl' : 'ltr';
}

/**
 * The messages of each locale: `lang/<locale>.json`, in which a host overrides single keys. Missing keys fall back to
 * the default locale.
 */
export class Dictionary {
  private readonly cache = new Map<string, Promise<Messages>>();
  private readonly known = new Map<string, Messages>();

  constructor(
    private readonly files: TemplateFiles,
    private readonly defaultLocale: string,
    /** Cache the messages; development reads the files each time. */
    private readonly keep: boolean,
  ) {}

  async messages(locale: string): Promise<Messages> {
    const cached = this.cache.get(locale);
    if (cached) return cached;
    const reading = this.read(locale);
    if (this.keep) this.cache.set(locale, reading);
    reading.then(
      (messages) => this.keep && this.known.set(locale, messages),
      () => this.cache.delete(locale),
    );
    return reading;
  }

  /** The messages of a locale if they are cached. */
  getCached(locale: string): Messages | undefined {
    return this.known.get(locale);
  }

  private async read(locale: string): Promise<Messages> {
    // The package's English is complete, whatever the host's default locale.
    const order = [...new Set(['en', this.defaultLocale, locale])];
    const layers = await Promise.all(order.map((name) => readOwnMessages(this.files, name)));
    return new Map(layers.flatMap((messages) => [...messages]));
  }
}

/**
 * The messages of the locale itself: the host's override those of modules, which override the package's.
 * @throws UnreadableWordsError naming the file
 */
export async function readOwnMessages(files: TemplateFiles, locale: string): Promise<Messages> {
  const messages = new Map<string, string>();
  const versions = await files.readAll(`lang/${locale.toLowerCase()}.json`);
  for (const { text, file } of [...versions].reverse()) flatten(parseMessages(text, file), '', messages, file);
  return messages;
}

/** A message file that cannot be parsed. */
export class UnreadableMessagesError extends Error {
  override readonly name = 'UnreadableMessagesError';
}

/**
 * A message with its values filled in. With a number `count`, the plural form of the locale: `items.one`, `items.other`.
 * A missing message shows its key, so that no page fails because of it.
 */
export function say(messages: Messages, locale: string, key: string, values: MessageValues = {}): string {
  const { count } = values;
  const form = typeof count === 'number' ? `${key}.${pluralRules(locale).select(count)}` : key;
  const text = messages.get(form) ?? messages.get(`${key}.other`) ?? messages.get(key) ?? key;
  if (!text.includes('{')) return text;
  return text.replace(/\{(\w+)\}/g, (_, name: string) => formatValue(values[name], locale));
}

function formatValue(value: MessageValues[string], locale: string): string {
  if (value instanceof Date) return formatDate(value, locale, 'long');
  if (typeof value === 'number') return numberFormat(locale).format(value);
  return value ?? '';
}

/** In UTC, labelled as such if a time is shown: the reader's time zone is unknown. */
export function formatDate(date: Date, locale: string, style: 'date' | 'long'): string {
  return style === 'long' ? `${timeFormat(locale).format(date)} UTC` : dateFormat(locale).format(date);
}

/** How a moment is told where there is little room: `06:00`, `23 Nov`, or both; in UTC. */
export type ShortStyle = 'hour' | 'day' | 'both';

/** A moment in a chart; the text around it says that it is in UTC. */
export function formatShort(date: Date, locale: string, style: ShortStyle): string {
  return shortFormats[style](locale).format(date);
}

// Creating a formatter takes longer than rendering a card of a page with it.
const languageOf = perLocale((locale) => new Intl.Locale(locale).language);
const pluralRules = perLocale((locale) => new Intl.PluralRules(locale));
const numberFormat = perLocale((locale) => new Intl.NumberFormat(locale));
const dateFormat = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }));
const timeFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);

const DAY = { day: 'numeric', month: 'short' } as const;
const HOUR = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const makeFormat = (parts: Intl.DateTimeFormatOptions) =>
  perLocale((locale) => new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }));
const shortFormats = { hour: makeFormat(HOUR), day: makeFormat(DAY), both: makeFormat({ ...DAY, ...HOUR }) };

/** Creates one value per locale; only configured locales occur, so they are few. */
function perLocale<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>();
  return (locale) => {
    const known = made.get(locale);
    if (known !== undefined) return known;
    const fresh = make(locale);
    made.set(locale, fresh);
    return fresh;
  };
}

function flatten(tree: Tree, prefix: string, into: Map<string, string>, file: string): void {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') into.set(prefix + key, value);
    else if (isTree(value)) flatten(value, `${prefix}${key}.`, into, file);
    else throw new UnreadableMessagesError(`${file}: ${prefix}${key} must be text.`);
  }
}

function parseMessages(text: string, file: string): Tree {
  const value = readJson(text, file);
  if (!isTree(value)) throw new UnreadableMessagesError(`${file} must be an object of words.`);
  return value;
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new UnreadableMessagesError(`${file} is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
