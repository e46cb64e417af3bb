import type { ConsumerActor } from '../domain/auth/index.js';
import { fullName } from '../domain/accounts/index.js';
import { ReauthenticationRequiredError } from '../domain/auth/index.js';
import { PageReply, type PageRequest, type PageSurface } from '../http/index.js';
import {
  actingAs,
  PortalError,
  TooManyAttemptsError,
  ValidationError,
  type ActingPerson,
  type Logger,
} from '../kernel/index.js';
import { Assets } from './assets.js';
import { BrandReader } from './brand.js';
import { chrome } from './chrome.js';
import { failureOf } from './failure.js';
import { field, typed } from './form.js';
import { Download, Redirect, View, type FormState, type Page, type PageOutcome, type Visit } from './page.js';
import { Renderer } from './renderer.js';
import { PageRouter } from './router.js';
import type { ThemeServices } from './services.js';
import type { CsrfGuard } from './session/csrf.js';
import { BrowserSession } from './session/browser-session.js';
import { LOCALE_COOKIE, setCookie } from './cookies.js';
import { pictureLink } from './safe-links.js';
import type { WebSessions } from './session/web-session.js';

export interface ThemeParts {
  readonly services: ThemeServices;
  readonly pages: readonly Page[];
  readonly sessions: WebSessions;
  readonly csrf: CsrfGuard;
  readonly logger: Logger;
  /** `/portal` */
  readonly prefix: string;
  /** Whether browsers come by https; cookies are then `Secure`. */
  readonly https: boolean;
  readonly formLimit: number;
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

/** A host's own rules, after those of the package. */
const CUSTOM_SHEET = 'custom.css';
const FLASH_COOKIE = 'portal-flash';
const SCHEME_COOKIE = 'portal-scheme';
/** S04; a longer one is nobody's. */
const LONGEST_PASSWORD = 512;
const VISITOR: ActingPerson = { type: 'visitor', id: null, name: null, email: null };

interface Setting {
  readonly request: PageRequest;
  readonly actor: ConsumerActor | null;
  readonly locale: string;
}

/** The web theme: finds the page, lets it do its work, and dresses what it shows. */
export class Theme implements PageSurface {
  readonly prefix: string;
  readonly formLimit: number;
  readonly middleware: PageSurface['middleware'];

  private readonly router: PageRouter;
  private readonly renderer: Renderer;
  private readonly assets: Assets;
  private readonly brand: BrandReader;

  constructor(private readonly parts: ThemeParts) {
    const { services, prefix, formLimit, sessions, folders, wordFolders, keep } = parts;
    const { about, settings } = services.site;
    this.prefix = prefix;
    this.formLimit = formLimit;
    this.middleware = sessions.middleware;
    this.router = new PageRouter(parts.pages);
    this.renderer = new Renderer({ folders, wordFolders, defaultLocale: about.defaultLocale, keep });
    this.assets = new Assets(folders, keep);
    this.brand = new BrandReader(settings, about, services.clock);
  }

  async handle(request: PageRequest): Promise<PageReply> {
    const [first, name = ''] = request.segments;
    if (first === 'assets' && request.segments.length === 2 && request.method === 'GET') return this.serveAsset(name);
    const { page, params } = this.router.find(request.method, request.segments);
    const actor = await this.identify(request);
    const setting = { request, actor, locale: this.localeOf(request) };
    if (page.method === 'post') this.checkOrigin(page, request);
    const elsewhere = this.turnAway(page, setting);
    if (elsewhere) return elsewhere;
    const visit = this.visit(setting, params);
    const person: ActingPerson = actor
      ? { type: 'developer', id: actor.id, name: fullName(actor.user), email: actor.user.email }
      : VISITOR;
    return actingAs({ person, request: request.info }, async () => {
      const outcome = page.method === 'post' ? await this.submit(page, visit) : await page.handle(visit as never);
      return this.answer(outcome, setting);
    });
  }

  async fail(error: unknown, request: PageRequest | null): Promise<PageReply> {
    const { status, headers, template } = failureOf(error);
    const about = { status, request_id: request?.info.requestId, url: request?.url.split('?', 1)[0] };
    if (status >= 500 && status !== 503) this.parts.logger.error({ ...about, err: error }, 'a page failed');
    if (!request) return new PageReply(status, 'Malformed request.', { ...headers, 'Content-Type': 'text/plain' });
    try {
      const actor = status < 500 ? await this.identify(request) : null;
      const setting = { request, actor, locale: this.localeOf(request) };
      const options = { status, title: `failure.${template}.title`, headers };
      return await this.show(new View('failure', { failure: template, status }, options), setting);
    } catch (cause) {
      // Without its database the portal still says what is the matter.
      this.parts.logger.warn({ ...about, err: cause }, 'the page of a failure could not be laid out');
      return new PageReply(status, plainFailure(status), { ...headers, 'Content-Type': 'text/html; charset=utf-8' });
    }
  }

  private async identify(request: PageRequest): Promise<ConsumerActor | null> {
    const { services, sessions } = this.parts;
    const signedIn = sessions.read(request);
    if (!signedIn) return null;
    const actor = await services.auth.sessions.authenticate(signedIn.sid, 'consumer', 'theme');
    return actor?.id === signedIn.userId ? actor : null;
  }

  private checkOrigin(page: Page, request: PageRequest): void {
    if (page.originOnly) this.parts.csrf.checkOrigin(request);
    else this.parts.csrf.check(request);
  }

  private turnAway(page: Page, { request, actor }: Setting): PageReply | null {
    if (page.audience === 'guests' && actor) return this.redirect(new Redirect('/dashboard'));
    if (page.audience !== 'developers' || actor) return null;
    const back = request.method === 'GET' ? `?return_to=${encodeURIComponent(request.url)}` : '';
    return this.redirect(new Redirect(`/login${back}`, 'sign-in-first'));
  }

  private visit({ request, actor, locale }: Setting, params: Visit<unknown>['params']): Visit<ConsumerActor | null> {
    const { services, sessions, prefix } = this.parts;
    const session = new BrowserSession(request, sessions, services.auth.sessions);
    return { request, services, actor, locale, prefix, params, session };
  }

  // What is wrong with a form is shown where it was filled in; nothing typed is lost.
  private async submit(page: Page, visit: Visit<ConsumerActor | null>): Promise<PageOutcome> {
    const wrong = await this.confirmPassword(visit);
    if (wrong !== null) return this.askPassword(visit, wrong);
    try {
      const confirmed = field(visit.request, '_current_password') !== '';
      const actor = confirmed ? await this.identify(visit.request) : visit.actor;
      return await page.handle({ ...visit, actor } as never);
    } catch (error) {
      if (error instanceof ReauthenticationRequiredError) return this.askPassword(visit, null);
      if (!page.retry || !(error instanceof PortalError) || error.status === 404) throw error;
      const { template, status, headers } = failureOf(error);
      if (status >= 500) this.parts.logger.warn({ err: error, url: visit.request.url }, 'a form could not be taken');
      const problem = error instanceof ValidationError ? null : template;
      const after = Number(headers['Retry-After']);
      const retryAfter = after > 0 ? after : null;
      const state: FormState = { errors: error.errors, problem, old: typed(visit.request), status, retryAfter };
      const view = await page.retry(visit as never, state);
      return new View(view.template, view.values, {
        ...view.options,
        headers: { ...headers, ...view.options.headers },
      });
    }
  }

  // A form that was stopped for a fresh proof of the password comes again with it. @returns what is wrong with it
  private async confirmPassword(visit: Visit<ConsumerActor | null>): Promise<string | null> {
    const { request, actor, services, session } = visit;
    const password = field(request, '_current_password');
    if (password === '' || !actor) return null;
    if (password.length > LONGEST_PASSWORD) return 'wrong-password';
    try {
      await services.auth.security.reauthenticate(actor, password, request.info);
      await session.renew();
      return null;
    } catch (error) {
      if (error instanceof ValidationError) return 'wrong-password';
      if (error instanceof TooManyAttemptsError) return 'limited';
      throw error;
    }
  }

  private askPassword({ request }: Visit<ConsumerActor | null>, wrong: string | null): View {
    const replay = [...request.form].flatMap(([name, values]) =>
      name.startsWith('_') ? [] : values.map((value) => ({ name, value })),
    );
    return new View('confirm-password', { action: request.url, replay, wrong }, { status: wrong ? 422 : 403 });
  }

  private answer(outcome: PageOutcome, setting: Setting): Promise<PageReply> | PageReply {
    if (outcome instanceof Redirect) return this.redirect(outcome);
    if (outcome instanceof Download) return new PageReply(200, outcome.body, outcome.headers);
    return this.show(outcome, setting);
  }

  private redirect({ path, flash, options }: Redirect): PageReply {
    const cookies = [...(options.cookies ?? [])];
    if (flash !== undefined) cookies.push({ name: FLASH_COOKIE, value: flash, path: this.prefix, maxAge: 60 });
    const headers = { ...options.headers, Location: this.prefix + (path === '/' ? '' : path) };
    return new PageReply(
      303,
      '',
      headers,
      cookies.map((cookie) => setCookie(cookie, this.parts.https)),
    );
  }

  private async show(view: View, { request, actor, locale }: Setting): Promise<PageReply> {
    const { services, prefix, csrf, imageHosts, apiPath, https } = this.parts;
    const { status = 200, title = `${view.template}.title`, heading, description, headers = {} } = view.options;
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
        mfa: false,
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
    return new PageReply(status, html, { ...pageHeaders(image), 'Content-Language': locale, ...headers }, cookies);
  }

  // Where a page can be asked for again: what a form answered with has no address, but stands below one that has.
  private pathOf({ method, segments }: PageRequest): string {
    let length = segments.length;
    while (method === 'POST' && length > 0 && !this.router.has('GET', segments.slice(0, length))) length -= 1;
    return `/${segments.slice(0, length).join('/')}`;
  }

  private async serveAsset(name: string): Promise<PageReply> {
    if (name !== 'brand.css') return this.assets.serve(name);
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

  private localeOf({ query, cookies, acceptsLanguage }: PageRequest): string {
    const { locales, defaultLocale } = this.parts.services.site.about;
    const chosen = [query.get('locale')?.at(-1), cookies.get(LOCALE_COOKIE)];
    return (
      chosen.find((code) => code !== undefined && locales.includes(code)) ?? acceptsLanguage(locales) ?? defaultLocale
    );
  }
}

/** S44: nothing inline, nothing from elsewhere but the pictures that the operator allowed. */
function pageHeaders(imageHosts: readonly string[]): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${["'self'", 'data:', ...imageHosts].join(' ')}`,
      "connect-src 'self'",
      "form-action 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

function plainFailure(status: number): string {
  const text =
    status === 503 ? 'The portal is not available at the moment. Please try again soon.' : 'Something went wrong.';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title><h1>${status}</h1><p>${text}</p></html>`;
}
