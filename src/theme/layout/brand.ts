import { createHash } from 'node:crypto';
import { BoundedCache, originOf, type Clock } from '../../core/index.js';
import { DEFAULT_COLOUR, isColour, type AboutPortal, type SettingService } from '../../domain/site/index.js';
import { safeLink } from '../format/safe-links.js';

/** Brand and menus, which every page needs and which change rarely, are read at most once within this time. */
export const LAYOUT_AGE_MS = 1_000;

/** What looks are made for, unless somebody chose a colour. */
const PRESET_COLOURS: Readonly<Record<string, string>> = { paper: '#0f766e', graphite: '#4338ca' };

/** What cards of dark pages stand on. */
const DARK_CARD = '#151e2d';

/** The look of a portal, from public settings (`theme.*`). */
export interface Brand {
  readonly name: string;
  readonly colour: string;
  /** Name of the look; null for the one of `portal.css`. */
  readonly preset: string | null;
  readonly logo: string | null;
  /** Its origin if that is not the portal itself: for the policy of pages. */
  readonly logoOrigins: readonly string[];
  readonly tagline: string | null;
  /** The style sheet with the brand colour, and its hash. */
  readonly css: string;
  readonly version: string;
  /** The picture of the tab, in the colour. */
  readonly icon: string;
}

/** Reads the brand at most once a second. */
export class BrandReader {
  private readonly cache: BoundedCache<Brand>;

  constructor(
    private readonly settings: Pick<SettingService, 'readPublic'>,
    private readonly about: AboutPortal,
    clock: Clock,
  ) {
    this.cache = new BoundedCache({ entries: 1, age: { ms: LAYOUT_AGE_MS, clock } });
  }

  /** Only the style sheet; the one without a brand while the settings cannot be read. */
  async sheet(): Promise<Pick<Brand, 'css' | 'version' | 'icon'>> {
    const colour = this.about.look.colour ?? DEFAULT_COLOUR;
    return this.read().catch(() => ({ css: brandSheet(colour), version: '', icon: brandIcon(colour) }));
  }

  read(): Promise<Brand> {
    return this.cache.read('brand', () => this.load());
  }

  private async load(): Promise<Brand> {
    const settings = await this.settings.readPublic();
    const text = (key: string) => {
      const value = Object.hasOwn(settings, key) ? settings[key] : null;
      return typeof value === 'string' && value !== '' ? value : null;
    };
    const { preset, colour: configured } = this.about.look;
    const wanted = text('theme.brand_color') ?? configured ?? PRESET_COLOURS[preset] ?? DEFAULT_COLOUR;
    const colour = isColour(wanted) ? wanted.toLowerCase() : DEFAULT_COLOUR;
    const css = brandSheet(colour);
    const [logo, logoOrigins] = logoOf(text('theme.logo_url'));
    return {
      name: text('theme.name') ?? this.about.name,
      colour,
      preset: preset === 'clear' ? null : preset,
      icon: brandIcon(colour),
      ...{ logo, logoOrigins },
      tagline: text('theme.tagline'),
      css,
      version: createHash('sha256').update(css).digest('base64url').slice(0, 12),
    };
  }
}

function brandIcon(colour: string): string {
  const stroke = textOn(colour);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/><path d="M11 9 6 16l5 7M21 9l5 7-5 7" fill="none" stroke="${stroke}" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** The pictures of the brand, and the origins that pages must allow for them. */
function logoOf(address: string | null): [logo: string | null, origins: readonly string[]] {
  const link = safeLink(address);
  if (link === null || link.startsWith('/')) return [link, []];
  const origin = originOf(link);
  return origin === null ? [null, []] : [link, [origin]];
}

/** The brand colour for light and dark pages, each with a readable text colour (WCAG 2.2, 1.4.3: 4.5 : 1). */
function brandSheet(colour: string): string {
  const light = makeReadable(colour, 'white');
  const dark = makeReadable(colour, 'dark');
  const rule = (selector: string, brand: string) => `${selector}{--brand:${brand};--on-brand:${textOn(brand)}}`;
  return [
    rule(':root', light),
    `@media (prefers-color-scheme:dark){${rule(':root:not([data-scheme=light])', dark)}}`,
    rule(':root[data-scheme=dark]', dark),
  ].join('\n');
}

/** Least contrast of text (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;

/** How text in a brand colour can be read on the pages of each scheme, as it is and as it is shown: `4.5` for 4.5 : 1. */
export function brandContrast(colour: string) {
  const side = (scheme: 'light' | 'dark') => {
    const page = scheme === 'light' ? 1 : luminance(DARK_CARD);
    const own = contrast(luminance(colour), page);
    const shown = contrast(luminance(makeReadable(colour, scheme === 'light' ? 'white' : 'dark')), page);
    return { scheme, own: own.toFixed(1), shown: shown.toFixed(1), isReadable: own >= READABLE };
  };
  return { light: side('light'), dark: side('dark') };
}

// Darkened for white, lightened for dark cards, until text in this colour is readable there and on a tint of itself.
function makeReadable(colour: string, page: 'white' | 'dark'): string {
  const target = page === 'white' ? 0 : 255;
  const background = page === 'white' ? 1 : luminance(DARK_CARD);
  let channels = channelsOf(colour);
  for (let step = 0; step < 40 && contrast(luminance(hex(channels)), background) < 5.6; step += 1) {
    channels = channels.map((channel) => Math.round(channel + (target - channel) * 0.06));
  }
  return hex(channels);
}

function textOn(colour: string): string {
  const [own, white, ink] = [colour, '#ffffff', '#0b1220'].map(luminance) as [number, number, number];
  return contrast(own, white) >= contrast(own, ink) ? '#ffffff' : '#0b1220';
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
