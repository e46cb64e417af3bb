import type { ConsumerActor } from '../domain/auth/index.js';
import { PageReply, type PageRequest } from '../http/index.js';
import { Assets } from './assets.js';
import { BrandReader } from './brand.js';
import { chrome } from './chrome.js';
import { setCookie } from './cookies.js';
import type { Redirect, View } from './page.js';
import { pageHeaders } from './page-headers.js';
import { Renderer } from './renderer.js';
import type { PageRouter } from './router.js';
import { pictureLink } from './safe-links.js';
import type { ThemeServices } from './services.js';
import type { CsrfGuard } from './session/csrf.js';

export interface WriterParts {
  readonly services: Pick<ThemeServices, 'site' | 'clock'>;
  readonly csrf: CsrfGuard;
  /** `/portal` */
  readonly prefix: string;
  /** Whether browsers come by https; cookies are then `Secure`. */
  readonly https: boolean;
  /** Path below which the API serves uploaded pictures. */
  readonly apiPath: string;
  /** Folders of templates and assets, the host's first. */
  readonly folders: readonly string[];
  readonly wordFolders: readonly string[];
  /** Origins that pictures may come from, beside our own. */
  readonly imageHosts: readonly string[];
  /** Templates and assets are read once. */
  readonly keep: boolean;
}

/** For whom a page is written. */
export interface Setting {
  readonly request: PageRequest;
  readonly actor: ConsumerActor | null;
  readonly locale: string;
}

/** A host's own rules, after those of the package. */
const CUSTOM_SHEET = 'custom.css';
const FLASH_COOKIE = 'portal-flash';
const SCHEME_COOKIE = 'portal-scheme';

/** Turns what pages answer into what browsers get: the layout and its surroundings, headers, cookies, files. */
export class PageWriter {
  private readonly renderer: Renderer;
  private readonly assets: Assets;
  private readonly brand: BrandReader;

  constructor(
    private readonly parts: WriterParts,
    private readonly router: Pick<PageRouter, 'has'>,
  ) {
    const { services, folders, wordFolders, keep } = parts;
    const { about, settings } = services.site;
    this.renderer = new Renderer({ folders, wordFolders, defaultLocale: about.defaultLocale, keep });
    this.assets = new Assets(folders, keep);
    this.brand = new BrandReader(settings, about, services.clock);
  }

  /** Leads on, with a word to show there. */
  redirect({ path, flash, options }: Redirect): PageReply {
    const cookies = [...(options.cookies ?? [])];
    if (flash !== undefined) cookies.push({ name: FLASH_COOKIE, value: flash, path: this.parts.prefix, maxAge: 60 });
    const headers = { ...options.headers, Location: this.parts.prefix + (path === '/' ? '' : path) };
    return new PageReply(
      303,
      '',
      headers,
      cookies.map((cookie) => setCookie(cookie, this.parts.https)),
    );
  }

  /** A view inside the layout, with everything that is around every page. */
  async show(view: View, { request, actor, locale }: Setting): Promise<PageReply> {
    const { services, prefix, csrf, imageHosts, apiPath, https } = this.parts;
    const {
      status = 200,
      title = `${view.template}.title`,
      heading,
      description,
      headers = {},
      connect,
    } = view.options;
    const cookies: string[] = [];
    const flash = this.flashOf(request);
    if (flash !== null) cookies.push(setCookie({ name: FLASH_COOKIE, value: '', path: prefix, maxAge: 0 }, https));
    const [brand] = await Promise.all([this.brand.read(), this.assets.prepare()]);
    const around = await chrome(
      { brand, prefix, about: services.site.about, menus: services.site.menus },
      {
        actor,
        locale,
        flash,
        path: this.pathOf(request),
        scheme: request.cookies.get(SCHEME_COOKIE),
      },
    );
    const scene = {
      prefix,
      csrfToken: () => {
        const { token, cookie } = csrf.issue(request);
        if (cookie !== null && !cookies.includes(cookie)) cookies.push(cookie);
        return token;
      },
      assetUrl: (file: string) =>
        `${prefix}/assets/${file}?v=${file === 'brand.css' ? brand.version : this.assets.version(file)}`,
      pictureUrl: (address: string) => pictureLink(address, apiPath, imageHosts),
    };
    const name = heading ?? (await this.renderer.say(title, locale));
    const hasCustomSheet = this.assets.has(CUSTOM_SHEET);
    const values = { ...around, hasCustomSheet, ...view.values, pageTitle: name, pageDescription: description };
    const html = await this.renderer.page(view.template, locale, values, scene);
    const image = brand.logo?.startsWith('http') ? [...imageHosts, new URL(brand.logo).origin] : imageHosts;
    return new PageReply(
      status,
      html,
      { ...pageHeaders(image, connect), 'Content-Language': locale, ...headers },
      cookies,
    );
  }

  // Where a page can be asked for again: what a form answered with has no address, but stands below one that has.
  private pathOf({ method, segments }: PageRequest): string {
    let length = segments.length;
    while (method === 'POST' && length > 0 && !this.router.has('GET', segments.slice(0, length))) length -= 1;
    return `/${segments.slice(0, length).join('/')}`;
  }

  /** @throws NotFoundError */
  async asset(name: string, { query, headers }: Pick<PageRequest, 'query' | 'headers'>): Promise<PageReply> {
    if (name !== 'brand.css') return this.assets.serve(name, query.get('v')?.at(-1), headers['if-none-match']);
    const { css } = await this.brand.read();
    return new PageReply(200, css, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': this.parts.keep ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  }

  /** Only words of ours: what a visitor writes into the cookie is a key or nothing. */
  private flashOf({ cookies }: PageRequest): string | null {
    const key = cookies.get(FLASH_COOKIE);
    return key !== undefined && /^[a-z-]{1,40}$/.test(key) ? key : null;
  }
}
