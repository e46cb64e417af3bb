import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import { BoundedCache } from '../../core/index.js';
import { PageResponse, setCookie, type AskedFile, type PageRequest, type PlainCookie } from '../../http/index.js';
import { directionOf } from '../../templates/index.js';
import { Assets } from './assets.js';
import { isOfBrand, serveAsset } from './brand-files.js';
import { BrandReader, type Brand } from './brand.js';
import type { Failure } from '../failure.js';
import type { Redirect, View, Viewing } from '../page.js';
import { pageHeaders } from './page-headers.js';
import { Renderer } from './renderer.js';
import type { PageRouter } from '../router.js';
import { pictureLink } from '../format/safe-links.js';
import type { PortalServices } from '../../domain/services.js';
import type { CsrfGuard } from '../session/csrf.js';

export interface WriterParts {
  readonly services: Pick<PortalServices, 'site' | 'clock'>;
  readonly csrf: CsrfGuard;
  /** `/portal` */
  readonly prefix: string;
  /** Whether browsers use https; cookies are then `Secure`. */
  readonly https: boolean;
  /** Path below which the API serves uploaded pictures. */
  readonly apiPath: string;
  /** Folders of templates and assets, the host's first. */
  readonly folders: readonly string[];
  readonly messageFolders: readonly string[];
  /** Origins that pictures may come from, in addition to ours. */
  readonly imageHosts: readonly string[];
  /** Read templates and assets only once. */
  readonly keep: boolean;
  readonly layout: Layout;
}

/** The layout of all pages of a surface. */
export interface Layout {
  /** Its template: `layouts/main.hbs`. */
  readonly template: string;
  /** Values in addition to those of the page. */
  read(query: LayoutQuery): Promise<Readonly<Record<string, unknown>>>;
}

export interface LayoutQuery {
  readonly brand: Brand;
  readonly actor: ConsumerActor | AdminActor | null;
  readonly locale: string;
  /** Path below the prefix. */
  readonly path: string;
  readonly scheme: string | undefined;
  readonly flash: string | null;
}

/** The reader of a page. */
export interface PageSetting {
  readonly request: PageRequest;
  readonly actor: ConsumerActor | AdminActor | null;
  readonly locale: string;
  /** Set while an admin views the portal as `actor`. */
  readonly viewing: Viewing | null;
}

/** The host's own style rules, after those of the package. */
const CUSTOM_SHEET = 'custom.css';
/** Longer URLs are not cached: invented ones must not fill the memory. */
const LONGEST_KEPT_URL = 500;
/** Limits for cached pages, which hold nothing personal; one must not evict most of the others. */
const MOST_PAGES = 500;
const MOST_BYTES = 8_000_000;
const FLASH_COOKIE = 'portal-flash';
const SCHEME_COOKIE = 'portal-scheme';

/** Turns the results of pages into responses: layout, headers, cookies, files. */
export class PageWriter {
  private readonly renderer: Renderer;
  private readonly assets: Assets;
  private readonly brand: BrandReader;
  /** Rendered pages, keyed by the values they were rendered from, which are read anew for every request. */
  private readonly pages = new BoundedCache<Buffer>({
    ...{ entries: MOST_PAGES, size: MOST_BYTES, largest: MOST_BYTES / 16 },
    sizeOf: ({ length }) => length,
  });

  constructor(
    private readonly parts: WriterParts,
    private readonly router: Pick<PageRouter, 'has'>,
  ) {
    const { services, folders, messageFolders, keep } = parts;
    const { about, settings } = services.site;
    this.renderer = new Renderer({ folders, messageFolders, defaultLocale: about.defaultLocale, keep });
    this.assets = new Assets(folders, keep);
    this.brand = new BrandReader(settings, about, services.clock);
  }

  messages(section: string, locale: string): Promise<Readonly<Record<string, string>>> {
    return this.renderer.messages(section, locale);
  }

  /** Redirects, with a message to show there. */
  redirect({ path, flash, options }: Redirect, further: readonly PlainCookie[] = []): PageResponse {
    const cookies = [...(options.cookies ?? []), ...further];
    if (flash !== undefined) cookies.push({ name: FLASH_COOKIE, value: flash, path: this.parts.prefix, maxAge: 60 });
    const address = options.external ? path : this.parts.prefix + (path === '/' ? '' : path);
    const headers = { ...options.headers, Location: address };
    return new PageResponse(
      303,
      '',
      headers,
      cookies.map((cookie) => setCookie(cookie, this.parts.https)),
    );
  }

  /** A view inside of its layout. */
  async show(view: View, { request, actor, locale, viewing }: PageSetting): Promise<PageResponse> {
    const { prefix, csrf, imageHosts, apiPath, https, keep, layout, services } = this.parts;
    const {
      title = `${view.template.replaceAll('/', '.')}.title`,
      heading,
      description,
      linkedData,
      connect,
      status = 200,
      headers = {},
    } = view.options;
    const cookies: string[] = [];
    const flash = this.flashOf(request);
    let isPersonal = !keep || actor !== null || request.method !== 'GET' || request.url.length > LONGEST_KEPT_URL;
    if (flash !== null) cookies.push(setCookie({ name: FLASH_COOKIE, value: '', path: prefix, maxAge: 0 }, https));
    const [brand] = await Promise.all([this.brand.read(), this.assets.prepare()]);
    const scheme = request.cookies.get(SCHEME_COOKIE);
    const path = this.pathOf(request);
    const around = await layout.read({ brand, actor, locale, flash, scheme, path });
    const context = {
      prefix,
      csrfToken: () => {
        if (viewing) return csrf.issueInView(viewing.view.id);
        const { token, cookie } = csrf.issue(request);
        if (cookie !== null && !cookies.includes(cookie)) cookies.push(cookie);
        isPersonal = true;
        return token;
      },
      assetUrl: (file: string) => this.assetUrl(file, brand.version),
      pictureUrl: (address: string) => pictureLink(address, apiPath, imageHosts),
    };
    const name = heading ?? (await this.renderer.say(title, locale));
    const hasCustomSheet = this.assets.has(CUSTOM_SHEET);
    const banner = viewing?.banner ?? null;
    const base = services.site.about.baseUrl();
    // What is not there, or not for the reader, says nothing of what was asked for.
    const pageAddress = status < 400 ? base + prefix + (path === '/' ? '' : path) : null;
    const pagePicture = brand.logo?.startsWith('/') ? base + brand.logo : brand.logo;
    const about = { '@context': 'https://schema.org', name, description, url: pageAddress };
    const pageData = linkedData && pageAddress ? { ...about, ...linkedData(pageAddress) } : null;
    const own = { pageTitle: name, pageDescription: description, pageAddress, pagePicture, pageData, viewing: banner };
    const values = { ...around, hasCustomSheet, ...view.values, ...own };
    const key = `${view.template} ${locale} ${request.url}`;
    const cached = isPersonal ? undefined : this.pages.get(key, values);
    const frame = { layout: layout.template, isViewed: banner !== null };
    const page = () => this.renderer.page(view.template, locale, values, context, frame);
    const html = cached ?? Buffer.from(await page());
    // Rendering a form may have made the page personal meanwhile.
    if (!cached && !isPersonal) this.pages.set(key, html, values);
    return new PageResponse(
      status,
      html,
      { ...pageHeaders([...imageHosts, ...brand.logoOrigins], connect), 'Content-Language': locale, ...headers },
      cookies,
    );
  }

  /** An error page that needs neither session nor database: layout `plain`. */
  async writePlain({ status, template, headers }: Failure, locale: string): Promise<PageResponse> {
    const { services, prefix } = this.parts;
    await this.assets.prepare();
    const values = {
      ...{ locale, direction: directionOf(locale), status, failure: template, portal: services.site.about.name },
      preset: services.site.about.look.preset === 'clear' ? null : services.site.about.look.preset,
      hasCustomSheet: this.assets.has(CUSTOM_SHEET),
    };
    const context = {
      prefix,
      csrfToken: () => '',
      assetUrl: (file: string) => this.assetUrl(file, ''),
      pictureUrl: () => null,
    };
    const html = await this.renderer.renderPlain(locale, values, context);
    return new PageResponse(status, html, { ...pageHeaders([]), 'Content-Language': locale, ...headers });
  }

  private assetUrl(file: string, brandVersion: string): string {
    const version = isOfBrand(file) ? brandVersion : this.assets.version(file);
    return `${this.parts.prefix}/assets/${file}${version === '' ? '' : `?v=${version}`}`;
  }

  // Path at which a page can be requested again: the result of a form has none, but the page that contains the form
  // does.
  private pathOf({ method, segments }: PageRequest): string {
    let length = segments.length;
    while (method === 'POST' && length > 0 && !this.router.has('GET', segments.slice(0, length))) length -= 1;
    return `/${segments.slice(0, length).join('/')}`;
  }

  /** @returns null if it is not one of our files */
  async asset(name: string, asked: AskedFile): Promise<PageResponse | null> {
    return serveAsset(name, asked, { assets: this.assets, brand: this.brand, keep: this.parts.keep });
  }

  /** Only our own messages: the cookie, which a visitor can change, holds a key or has no effect. */
  private flashOf({ cookies }: PageRequest): string | null {
    const key = cookies.get(FLASH_COOKIE);
    return key !== undefined && /^[a-z-]{1,40}$/.test(key) ? key : null;
  }
}
