import { fullName } from '../domain/accounts/index.js';
import type { ConsumerActor } from '../domain/auth/index.js';
import type { AboutPortal, MenuItemRecord, MenuService } from '../domain/site/index.js';
import { NotFoundError } from '../kernel/index.js';
import { directionOf } from '../views/index.js';
import type { Brand } from './brand.js';
import type { ThemeLinks } from './links.js';
import { safeLink } from './safe-links.js';

const SCHEMES = ['light', 'dark'];

export interface ChromeParts {
  readonly brand: Brand;
  readonly about: AboutPortal;
  readonly menus: Pick<MenuService, 'find'>;
  readonly prefix: string;
  readonly links: ThemeLinks;
}

export interface ChromeQuery {
  readonly actor: ConsumerActor | null;
  readonly locale: string;
  /** Below the prefix. */
  readonly path: string;
  readonly scheme: string | undefined;
  readonly flash: string | null;
}

interface Link {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: readonly Link[];
}

/** What is around every page: brand, menus, languages, who is signed in. */
export async function chrome(parts: ChromeParts, query: ChromeQuery) {
  const { brand, about, prefix, links } = parts;
  const { actor, locale, path, scheme, flash } = query;
  const [header, footer] = await Promise.all([menu('header', parts, query), menu('footer', parts, query)]);
  return {
    brand,
    locale,
    direction: directionOf(locale),
    scheme: scheme !== undefined && SCHEMES.includes(scheme) ? scheme : null,
    flash,
    path,
    prefix,
    menus: { header, footer },
    hasRegistration: about.features.registration,
    docs: about.links.docs,
    loginLinks: links.login,
    accountLinks: links.account,
    user: actor
      ? { name: fullName(actor.user), email: actor.user.email, initials: initialsOf(fullName(actor.user)) }
      : null,
    locales: about.locales.map((code) => ({ code, name: ownName(code), isCurrent: code === locale })),
  };
}

async function menu(slug: string, { menus, prefix }: ChromeParts, { actor, locale, path }: ChromeQuery) {
  try {
    const { items } = await menus.find(slug, actor !== null, locale);
    return items.map((item) => linkOf(item, prefix, path));
  } catch (error) {
    // A portal needs no menus; the layout then shows its own.
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function linkOf({ label, url, route, children }: MenuItemRecord, prefix: string, path: string): Link {
  return {
    label,
    href: route === null ? (safeLink(url) ?? '#') : prefix + (route === '/' ? '' : route),
    isCurrent: route !== null && (route === '/' ? path === '/' : path === route || path.startsWith(`${route}/`)),
    children: children.map((child) => linkOf(child, prefix, path)),
  };
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.at(-1)]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}

/** A language in its own words: العربية. */
function ownName(locale: string): string {
  const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}
