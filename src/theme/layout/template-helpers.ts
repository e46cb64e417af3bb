import type { ViewEngineOptions } from '../../templates/index.js';
import {
  directionOf,
  formatDate,
  formatShort,
  say,
  type Messages,
  type ShortStyle,
  type MessageValues,
} from '../../templates/index.js';
import type { GuideKind } from '../../domain/content/index.js';
import { renderDraft } from '../format/guide-markdown.js';
import { languageName } from '../format/languages.js';
import { renderMarkdown } from '../format/markdown.js';
import { productMark } from '../format/product-cards.js';
import { CSRF_FIELD } from '../session/csrf.js';
import { safeLink } from '../format/safe-links.js';

/** What helpers know of the page besides locale and messages. */
export interface ThemeContext {
  readonly prefix: string;
  readonly csrfToken: () => string;
  readonly assetUrl: (file: string) => string;
  /** Where a page may load a picture from; null for one that its policy forbids. */
  readonly pictureUrl: (address: string) => string | null;
}

interface Options {
  readonly data: { readonly context: ThemeContext & { readonly locale: string; readonly messages: Messages } };
  readonly hash: Readonly<Record<string, unknown>>;
}

/** As `JSON.stringify` quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"/;

/** Markup that is finished: Handlebars takes it as it is. Only what escapes its parts may be wrapped. */
const safeHtml = (html: string) => ({ toHTML: () => html });

const escapeInJson = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const attribute = (text: string) => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The message key of a sentence of the domain, with its first number and quotation. */
function patternOf(sentence: string) {
  const [quoted] = QUOTED.exec(sentence) ?? [];
  const [number] = /\d+/.exec(sentence.replace(QUOTED, '')) ?? [];
  return {
    key: `fault.${sentence.replace(QUOTED, '{text}').replace(/\d+/g, '{number}')}`,
    number: number === undefined ? undefined : Number(number),
    text: quoted === undefined ? undefined : String(JSON.parse(quoted)),
  };
}

const contextOf = (options: unknown) => (options as Options).data.context;

/**
 * Texts of others in a sentence that is read from right to left keep their own direction, by invisible marks around them:
 * otherwise the full stop of a name jumps to its beginning. Pages only: what people copy out of mails stays as it is.
 */
function isolateValues(values: MessageValues, locale: string): MessageValues {
  if (directionOf(locale) === 'ltr') return values;
  const isolate = (value: MessageValues[string]) => (typeof value === 'string' ? `\u2068${value}\u2069` : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]));
}

/**
 * Message keys for a name of the console, best first. What developers are told about their own account serves
 * the console too, where it has no message of its own: `activity.user.login`.
 */
export function labelKeys(section: string, name: string): readonly string[] {
  const own = `console.${section}.${name.replaceAll('.', '-').replaceAll('_', '-')}`;
  return section === 'event' ? [own, `activity.${name}`] : [own];
}

function labelOf(section: string, name: string, options: unknown): string {
  const { messages, locale } = contextOf(options);
  const known = labelKeys(section, name).find((key) => messages.has(key));
  if (known !== undefined) return say(messages, locale, known, {});
  // A value that somebody chose, such as the name of a category, stays as it is.
  if (section === 'value' && !/^[a-z]+(_[a-z]+)*$/.test(name)) return name;
  const text = name.replace(/[._-]+/g, ' ').trim();
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

function resourceLabel(resource: unknown, index: 0 | 1, options: unknown): string {
  const { name = '', labels } = (resource ?? {}) as { name?: string; labels?: readonly string[] };
  return labels?.[index] ?? labelOf(index === 0 ? 'resource' : 'one', name, options);
}

/** All messages of a section, by the rest of their key. */
export function messagesBelow(messages: Messages, section: string): Readonly<Record<string, string>> {
  const start = `${section}.`;
  const found = [...messages].filter(([key]) => key.startsWith(start));
  return Object.fromEntries(found.map(([key, word]) => [key.slice(start.length), word]));
}

/** Helpers of the theme's templates, beside those of every template. */
export const THEME_HELPERS: NonNullable<ViewEngineOptions['helpers']> = {
  /** `{{t "apps.reason" reason=reason}}`, as in every template. */
  t: (key: unknown, options: unknown) => {
    const { messages, locale } = contextOf(options);
    return say(messages, locale, String(key), isolateValues((options as Options).hash as MessageValues, locale));
  },
  /** `{{path "/products/" slug}}`: an address of ours, each value encoded. */
  path: (...parts: unknown[]) => {
    const [first, ...values] = parts.slice(0, -1);
    // Versions of products are read better: `payments@v2`.
    const encoded = values.map((value) => encodeURIComponent(String(value)).replaceAll('%40', '@'));
    return contextOf(parts.at(-1)).prefix + String(first) + encoded.join('');
  },
  /** `{{encode text}}`: a value inside the query of an address. */
  encode: (text: unknown) => encodeURIComponent(String(text)),
  /** `{{asset "portal.css"}}` */
  asset: (file: unknown, options: unknown) => contextOf(options).assetUrl(String(file)),
  /** `{{link url}}`: an address that somebody typed; `#` for one that would run something. */
  link: (address: unknown) => safeLink(address) ?? '#',
  /** `{{picture product.thumbnailUrl}}`: a picture that the page may show, or nothing. */
  picture: (address: unknown, options: unknown) =>
    typeof address === 'string' ? contextOf(options).pictureUrl(address) : null,
  /** `{{words "reference"}}`: all messages of a section as JSON, for a script. */
  words: (section: unknown, options: unknown) =>
    JSON.stringify(messagesBelow(contextOf(options).messages, String(section))),
  /** `{{csrf}}` inside every form that posts. */
  csrf: (options: unknown) =>
    safeHtml(`<input type="hidden" name="${CSRF_FIELD}" value="${attribute(contextOf(options).csrfToken())}">`),
  /** In a block that browsers do not run (`application/ld+json`), and that no text can leave. */
  linkedData: (value: unknown) => safeHtml(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escapeInJson)),
  /** `{{markdown description}}` */
  markdown: (text: unknown) => safeHtml(renderMarkdown(typeof text === 'string' ? text : '')),
  /** `{{guide text of=record portal="/portal" within="ar-"}}`: the text of a guide as its page shows it; `within` begins its ids. */
  guide: (text: unknown, options: unknown) => {
    const { of: record, portal, within } = (options as Options).hash;
    const { kind, product } = (record ?? {}) as { kind?: GuideKind; product?: { slug?: string } | null };
    return safeHtml(
      renderDraft(typeof text === 'string' ? text : '', {
        messages: messagesBelow(contextOf(options).messages, 'guides'),
        ...{ kind, product: product?.slug ?? null, portal: typeof portal === 'string' ? portal : null },
        within: typeof within === 'string' ? within : '',
      }),
    );
  },
  /**
   * `{{fault sentence}}`: what is wrong with a field, in the language of the page. The messages are keyed by the English
   * sentence with `{number}` for its numbers and `{text}` for what it quotes; one without a message is shown as it is.
   */
  fault: (sentence: unknown, options: unknown) => {
    const { messages, locale } = contextOf(options);
    const { key, number, text } = patternOf(String(sentence));
    return messages.has(key) ? say(messages, locale, key, isolateValues({ number, text }, locale)) : String(sentence);
  },
  /** `{{labelFor "field" name}}`: the message `console.field.<name>`, or the name itself, made readable. */
  labelFor: (section: unknown, name: unknown, options: unknown) =>
    labelOf(String(section), typeof name === 'string' ? name : '', options),
  /** `{{recordsOf resource}}`: what the console calls the records of a resource. */
  recordsOf: (resource: unknown, options: unknown) => resourceLabel(resource, 0, options),
  /** `{{recordOf resource}}`: what it calls one of them. */
  recordOf: (resource: unknown, options: unknown) => resourceLabel(resource, 1, options),
  /** `{{languageName "ar"}}`: a language by its own name. */
  languageName: (code: unknown) => languageName(String(code)),
  /** `{{formatNumber total}}`: with the marks of the language. */
  formatNumber: (value: unknown, options: unknown) =>
    typeof value === 'number' ? new Intl.NumberFormat(contextOf(options).locale).format(value) : '',
  /** `{{compactNumber 12000}}`: with little room, `12K`. */
  compactNumber: (value: unknown, options: unknown) =>
    new Intl.NumberFormat(contextOf(options).locale, { notation: 'compact' }).format(Number(value)),
  /** `{{signedNumber change}}`: with its sign, `+12`. */
  signedNumber: (value: unknown, options: unknown) =>
    new Intl.NumberFormat(contextOf(options).locale, { signDisplay: 'exceptZero' }).format(Number(value)),
  /** `{{formatPercent 0.125}}`: a share, as `12.5%`. */
  formatPercent: (share: unknown, options: unknown) => {
    const style = { style: 'percent', maximumFractionDigits: 1 } as const;
    return new Intl.NumberFormat(contextOf(options).locale, style).format(Number(share));
  },
  /** `{{shortTime at "hour"}}`: a moment in a chart, in UTC; `hour`, `day` or `both`. */
  shortTime: (at: unknown, style: unknown, options: unknown) =>
    at instanceof Date ? formatShort(at, contextOf(options).locale, style as ShortStyle) : '',
  /** `{{#if (isBlank value)}}`: nothing to show; zero is something. */
  isBlank: (value: unknown) => value === undefined || value === null || value === '',
  /** `{{when at}}`: a moment, in UTC; the script of the pages shows it in the zone of the reader. */
  when: (at: unknown, options: unknown) => {
    if (!(at instanceof Date)) return '';
    const { locale } = contextOf(options);
    return safeHtml(`<time datetime="${at.toISOString()}">${attribute(formatDate(at, locale, 'long'))}</time>`);
  },
  /** `{{span seconds}}`: about how long, in minutes or seconds. */
  span: (seconds: unknown, options: unknown) => {
    const isLong = Number(seconds) > 90;
    const unit = isLong ? 'minute' : 'second';
    const format = new Intl.NumberFormat(contextOf(options).locale, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(isLong ? Math.ceil(Number(seconds) / 60) : Number(seconds));
  },
  /** `{{age seconds}}`: about how long, in days, hours or minutes. */
  age: (seconds: unknown, options: unknown) => {
    const passed = Math.max(0, Number(seconds));
    const [unit, length] = passed >= 2 * 86_400 ? ['day', 86_400] : passed >= 7_200 ? ['hour', 3_600] : ['minute', 60];
    const { locale } = contextOf(options);
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit: String(unit), unitDisplay: 'long' });
    return format.format(Math.floor(passed / Number(length)));
  },
  /** `{{#each (list a b)}}` */
  list: (...items: unknown[]) => items.slice(0, -1),
  /** `{{#if (below @root.path "/products")}}`: whether an address is that one or stands below it. */
  below: (path: unknown, top: unknown) => path === top || String(path).startsWith(`${String(top)}/`),
  /** `{{#if (includes names name)}}` */
  includes: (items: unknown, item: unknown) => Array.isArray(items) && items.includes(item),
  /** `{{#with (productMark product.slug)}}`: the `hue` and the `icon` of an API, for what has no picture. */
  productMark: (slug: unknown) => productMark(String(slug)),
  /** `{{initial name}}`: its first letter, for what has no picture. */
  initial: (name: unknown) => ([...String(name)][0] ?? '').toLocaleUpperCase(),
  /** `{{#if (given @partial-block)}}`: plain `if` would call the block to see whether it is true. */
  given: (value: unknown) => value !== undefined,
  or: (...values: unknown[]) => values.slice(0, -1).find(Boolean),
  and: (...values: unknown[]) => values.slice(0, -1).every(Boolean),
  /** `{{#with (pick errors "email")}}`: a field of a record by a computed name. */
  pick: (record: unknown, name: unknown) =>
    typeof record === 'object' && record !== null && Object.hasOwn(record, String(name))
      ? (record as Record<string, unknown>)[String(name)]
      : undefined,
};
