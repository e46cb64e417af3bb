import { fullName } from '../../domain/accounts/index.js';
import type { AboutPortal, MenuItemRecord, MenuService } from '../../domain/site/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import { isShown, type BannerRow, type BannerService, type GuideReader } from '../../domain/content/index.js';
import { BoundedCache, type Clock, nullIfMissing } from '../../core/index.js';
import { directionOf } from '../../templates/index.js';
import { LAYOUT_AGE_MS } from './brand.js';
import { languageName } from '../format/languages.js';
import type { MenuLinks } from '../menu-links.js';
import { safeLink } from '../format/safe-links.js';
import type { Layout, LayoutQuery } from './page-writer.js';

const SCHEMES = ['light', 'dark'];

/** `data-scheme` of the page: the reader's choice, or null to follow the device. */
export function schemeOf(chosen: string | undefined): string | null {
  return chosen !== undefined && SCHEMES.includes(chosen) ? chosen : null;
}

const MOST_MENUS = 200;

interface LayoutParts {
  readonly about: AboutPortal;
  readonly menus: Pick<MenuService, 'find'>;
  readonly guides: Pick<GuideReader, 'count'>;
  readonly banners: Pick<BannerService, 'listDue'>;
  readonly hasSearch: boolean;
  readonly clock: Clock;
  readonly prefix: string;
  readonly links: MenuLinks;
}

interface Link {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: readonly Link[];
}

/** The layout of all pages for developers: brand, menus, languages, who is signed in. */
export class LayoutData implements Layout {
  readonly template = 'layouts/main.hbs';
  private readonly menus: BoundedCache<readonly MenuItemRecord[] | null>;
  private readonly counts: BoundedCache<number>;
  private readonly banners: BoundedCache<readonly BannerRow[]>;

  constructor(private readonly parts: LayoutParts) {
    this.counts = new BoundedCache({ entries: 1, age: { ms: LAYOUT_AGE_MS, clock: parts.clock } });
    this.banners = new BoundedCache({ entries: MOST_MENUS, age: { ms: LAYOUT_AGE_MS, clock: parts.clock } });
    this.menus = new BoundedCache({ entries: MOST_MENUS, age: { ms: LAYOUT_AGE_MS, clock: parts.clock } });
  }

  async read({ brand, actor, locale, path, scheme, flash }: LayoutQuery) {
    const { about, prefix, links, hasSearch, clock } = this.parts;
    const menu = async (slug: string) => {
      const isDeveloper = actor !== null;
      const key = JSON.stringify([slug, locale, isDeveloper]);
      const items = await this.menus.read(key, () => this.readMenu(slug, isDeveloper, locale));
      return items?.map((item) => linkOf(item, prefix, path)) ?? null;
    };
    const due = this.banners.read(locale, () => this.parts.banners.listDue(null, locale));
    const [header, footer, banners] = await Promise.all([menu('header'), menu('footer'), due]);
    // The layout's own navigation leads to guides once there are some for everybody.
    const guides = header
      ? 0
      : await this.counts.read('guides', () => this.parts.guides.count('guide', viewerOf(null)));
    return {
      ...{ brand, locale, flash, path, prefix },
      direction: directionOf(locale),
      scheme: schemeOf(scheme),
      menus: { header, footer },
      hasGuides: (guides ?? 0) > 0,
      hasSearch,
      // Cached ones begin and end in time, too.
      portalBanners: (banners ?? []).filter((banner) => isShown(banner, clock.now())),
      hasRegistration: about.features.registration,
      docs: about.links.docs,
      loginLinks: links.login,
      accountLinks: links.account,
      user:
        actor?.context === 'consumer'
          ? { name: fullName(actor.user), email: actor.user.email, initials: initialsOf(fullName(actor.user)) }
          : null,
      locales: languagesOf(about, locale),
    };
  }

  private async readMenu(
    slug: string,
    isDeveloper: boolean,
    locale: string,
  ): Promise<readonly MenuItemRecord[] | null> {
    // Menus are optional; without them the layout shows its own.
    const menu = await this.parts.menus.find(slug, isDeveloper, locale).catch(nullIfMissing);
    return menu && menu.items;
  }
}

/** Every language of the portal, each named in itself. */
export function languagesOf({ locales }: Pick<AboutPortal, 'locales'>, current: string) {
  return locales.map((code) => ({ code, name: languageName(code), isCurrent: code === current }));
}

function linkOf({ label, url, route, children }: MenuItemRecord, prefix: string, path: string): Link {
  return {
    label,
    href: route === null ? (safeLink(url) ?? '#') : prefix + (route === '/' ? '' : route),
    isCurrent: route !== null && (route === '/' ? path === '/' : path === route || path.startsWith(`${route}/`)),
    children: children.map((child) => linkOf(child, prefix, path)),
  };
}

/** First letters of the first and last words. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.at(-1)]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}
