import {
  toActingPerson,
  ReauthenticationRequiredError,
  type AdminActor,
  type AuthContext,
  type ConsumerActor,
} from '../domain/auth/index.js';
import { PageResponse, maskPath, type FileRule, type PageRequest, type PageSurface } from '../http/index.js';
import { runAs, PortalError, TooManyAttemptsError, ValidationError, VISITOR, type Logger } from '../core/index.js';
import { challengeCookie, deviceCookie, viewCookie, viewTokenOf, withCookies } from './cookies.js';
import { failureOf, ViewingError, type Failure } from './failure.js';
import { field, listField, readTyped } from './form.js';
import {
  Download,
  Redirect,
  View,
  type FormState,
  type Page,
  type PageOutcome,
  type Viewing,
  type Visit,
} from './page.js';
import { writePlainFailure } from './layout/page-headers.js';
import { PageWriter, type PageSetting, type WriterParts } from './layout/page-writer.js';
import { readLocale, requireServed, runPage } from './negotiation.js';
import { rootFiles, PageRouter, type Match } from './router.js';
import type { PortalServices } from '../domain/services.js';
import { BrowserSession } from './session/browser-session.js';
import { CSRF_FIELD } from './session/csrf.js';
import { ShownOnce, type OneTimeStore } from './session/shown-once.js';
import { viewedSession, type AdminViews } from './session/viewer.js';
import type { WebSessions } from './session/web-session.js';

/** Who may be signed in to a surface. */
type Account = ConsumerActor | AdminActor;

export interface ThemeParts extends WriterParts {
  /** Whose pages these are: developers' or admins'. */
  readonly context: AuthContext;
  /** Where signed-in accounts begin, below the prefix. */
  readonly home: string;
  /** Why a client may see nothing of it but its style sheets; null for one that may. */
  readonly refusal?: (request: PageRequest) => PortalError | null;
  /** Paths that search engines leave alone, besides pages for signed-in readers. */
  readonly unlisted: readonly string[];
  readonly services: PortalServices;
  readonly pages: readonly Page[];
  /** Paths of pages for agents that are served at the root as well. */
  readonly rootPages: readonly string[];
  readonly sessions: WebSessions;
  readonly oneTime: OneTimeStore;
  /** Views by admins; null where there are none. */
  readonly viewer: AdminViews | null;
  readonly logger: Logger;
  readonly formLimit: number;
}

/** Of a form that comes again with a proof: what the page that asks for it has itself. */
const NOT_REPLAYED = [CSRF_FIELD, '_current_password', '_current_code'];
/** S04; a longer one is nobody's. */
const LONGEST_PASSWORD = 512;
const LONGEST_CODE = 100;
/** One for each module that asks. */
const MOST_CODES = 5;
/** Nobody waits for longer: what ends later is a lock that something else has to lift. */
const LONGEST_WAIT_S = 86_400;

/** The web theme: finds the page, runs it, and renders its outcome. */
export class Theme implements PageSurface {
  readonly prefix: string;
  readonly formLimit: number;
  readonly middleware: PageSurface['middleware'];
  readonly files: NonNullable<PageSurface['files']>;
  readonly rootFiles: NonNullable<PageSurface['rootFiles']>;
  readonly rootPages: readonly string[];

  private readonly router: PageRouter;
  private readonly writer: PageWriter;
  private readonly once: ShownOnce;

  constructor(private readonly parts: ThemeParts) {
    const { prefix, formLimit, sessions, oneTime, pages, unlisted } = parts;
    this.prefix = prefix;
    this.formLimit = formLimit;
    this.middleware = sessions.middleware;
    this.router = new PageRouter(pages);
    this.writer = new PageWriter(parts, this.router);
    this.once = new ShownOnce(oneTime, sessions);
    this.files = { path: `${prefix}/assets`, read: (name, asked) => this.writer.asset(name, asked) };
    this.rootFiles = rootFiles(prefix, pages, unlisted);
    this.rootPages = parts.services.site.about.agents === null ? [] : parts.rootPages;
  }

  async handle(request: PageRequest): Promise<PageResponse> {
    const refusal = this.parts.refusal?.(request) ?? null;
    if (refusal) throw refusal;
    const viewing = await this.readViewing(request);
    if (viewing === 'over') throw new ViewingError('view-over');
    const match = this.router.find(request.method, request.segments);
    requireServed(match, request, this.parts.services.site.about);
    const { page } = match;
    const fault = this.parts.sessions.faultOf(request);
    if (fault && !needsNoSession(page)) throw fault;
    try {
      return await (viewing ? this.view(match, request, viewing) : this.serve(match, request));
    } catch (error) {
      // What a visitor may not see might exist for the account that the unreadable session would have named.
      throw fault && error instanceof PortalError && error.status < 500 ? fault : error;
    }
  }

  private async serve({ page, params, isMarkdown }: Match, request: PageRequest): Promise<PageResponse> {
    const actor = await this.identify(request);
    const setting = { request, actor, locale: this.localeOf(request, actor), viewing: null };
    if (page.method === 'post') this.checkOrigin(page, request);
    const elsewhere = this.turnAway(page, setting) ?? (await this.stopAtGate(page, setting));
    if (elsewhere) return elsewhere;
    const visit = this.visit(setting, params);
    const person = actor ? toActingPerson(actor) : VISITOR;
    return runAs({ person, request: request.info }, async () => {
      const outcome = await (page.method === 'post' ? this.submit(page, visit) : runPage(page, isMarkdown, visit));
      const reply = await this.answer(outcome, setting, visit.session);
      const { device } = visit.session;
      return withCookies(reply, device === null ? [] : [deviceCookie(device, this.parts.context)], this.parts.https);
    });
  }

  // Shown as the developer sees it, on behalf of the admin: neither session is used, and the only form accepted is the one that ends it.
  private async view(
    { page, params, isMarkdown }: Match,
    request: PageRequest,
    viewing: Viewing,
  ): Promise<PageResponse> {
    if (!page.viewable) throw new ViewingError('viewing');
    if (page.method === 'post') this.parts.csrf.checkInView(request, viewing.view.id);
    const { actor, admin } = viewing;
    const setting = { request, actor, locale: this.localeOf(request, actor), viewing };
    const visit = { ...this.visit(setting, params), session: viewedSession };
    return runAs({ person: toActingPerson(admin), request: request.info }, async () => {
      const outcome = await runPage(page, isMarkdown, visit);
      const { status, body, headers, cookies } = await this.answer(outcome, setting, null);
      return new PageResponse(status, body, { ...headers, 'Cache-Control': 'no-store' }, cookies);
    });
  }

  private async readViewing(request: PageRequest): Promise<Viewing | 'over' | null> {
    return (await this.parts.viewer?.read(request)) ?? null;
  }

  // Only who is signed in may send a large body.
  async fileAt(request: PageRequest): Promise<FileRule | null> {
    const { method, segments } = request;
    if (!this.router.has(method, segments)) return null;
    const { file } = this.router.find(method, segments).page;
    return file && viewTokenOf(request.cookies) === null && (await this.identify(request))
      ? { field: file.field, maxBytes: file.maxBytes(this.parts.services) }
      : null;
  }

  routeOf({ method, segments }: PageRequest): string | null {
    return this.router.pathOf(method, segments);
  }

  /** The path for the log: links of mails are secrets (S69). */
  private pathForLog(request: PageRequest): string {
    const { prefix } = this.parts;
    const route = request.url.startsWith(`${prefix}/`) ? this.routeOf(request) : null;
    return maskPath(request.url, route === null ? undefined : prefix + route);
  }

  async fail(error: unknown, request: PageRequest | null): Promise<PageResponse> {
    // Without what is around a page: its navigation, the name of the signed-in account.
    const refusal = request && this.parts.refusal?.(request);
    if (refusal) return this.refuse(refusal, request);
    const { status, headers, template } = failureOf(error);
    const about = { status, request_id: request?.info.requestId, url: request && this.pathForLog(request) };
    if (status >= 500 && status !== 503) this.parts.logger.error({ ...about, err: error }, 'a page failed');
    if (!request) return new PageResponse(status, 'Malformed request.', { ...headers, 'Content-Type': 'text/plain' });
    try {
      const seen = status < 500 ? await this.readViewing(request) : null;
      const viewing = seen === 'over' ? null : seen;
      const actor = viewing?.actor ?? (status < 500 ? await this.identify(request) : null);
      const setting = { request, actor, locale: this.localeOf(request, actor), viewing };
      const options = { status, title: `failure.${template}.title`, headers };
      const reply = await this.writer.show(new View('failure', { failure: template, status }, options), setting);
      return withCookies(reply, seen === 'over' ? [viewCookie('', this.parts.prefix)] : [], this.parts.https);
    } catch (cause) {
      // Without its database the portal still says what is the matter.
      this.parts.logger.warn({ ...about, err: cause }, 'the page of a failure could not be laid out');
      return this.answerPlainly(failureOf(error), request);
    }
  }

  refuse(error: unknown, request: PageRequest): Promise<PageResponse> {
    const failure = failureOf(error);
    const about = { status: failure.status, request_id: request.info.requestId, url: this.pathForLog(request) };
    const { detail } = error instanceof PortalError ? error : {};
    if (failure.status === 503) this.parts.logger.warn({ ...about, detail }, 'a request was put off');
    else if (failure.status >= 500) this.parts.logger.error({ ...about, err: error }, 'a request failed');
    return this.answerPlainly(failure, request);
  }

  private async answerPlainly(failure: Failure, request: PageRequest): Promise<PageResponse> {
    try {
      return await this.writer.writePlain(failure, this.localeOf(request, null));
    } catch (cause) {
      this.parts.logger.error({ err: cause }, 'the plain page of a failure could not be laid out');
      const { status, headers } = failure;
      return new PageResponse(status, writePlainFailure(status), {
        ...headers,
        'Content-Type': 'text/html; charset=utf-8',
      });
    }
  }

  private async identify(request: PageRequest): Promise<Account | null> {
    const { services, sessions, context } = this.parts;
    const signedIn = sessions.read(request);
    if (!signedIn) return null;
    const actor = await services.auth.sessions.authenticate(signedIn.sid, context, 'theme');
    return actor?.id === signedIn.userId ? actor : null;
  }

  private checkOrigin(page: Page, request: PageRequest): void {
    if (page.originOnly) this.parts.csrf.checkOrigin(request);
    else this.parts.csrf.check(request);
  }

  private turnAway(page: Page, { request, actor }: PageSetting): PageResponse | null {
    if (page.audience === 'guests' && actor) return this.writer.redirect(new Redirect(this.parts.home));
    if (page.audience === 'everyone' || page.audience === 'guests' || actor) return null;
    const back = request.method === 'GET' ? `?return_to=${encodeURIComponent(request.url)}` : '';
    return this.writer.redirect(new Redirect(`/login${back}`, 'sign-in-first'));
  }

  // A rule of a module, such as a second factor that has to be enrolled first.
  private async stopAtGate(
    { method, path, exemptFromGates }: Page,
    { actor, request }: PageSetting,
  ): Promise<PageResponse | null> {
    if (!actor) return null;
    const refusal = await this.parts.services.auth.guard.refusal(actor, {
      surface: 'theme',
      name: `${method} ${path}`,
      exemptFromGates: exemptFromGates === true,
    });
    const isThere = refusal?.page !== undefined && `/${request.segments.join('/')}` === refusal.page;
    if (!refusal || isThere) return null;
    if (refusal.page === undefined) throw refusal.error;
    return this.writer.redirect(new Redirect(refusal.page));
  }

  private visit({ request, actor, locale, viewing }: PageSetting, params: Visit<unknown>['params']) {
    const { services, sessions, prefix, context, home } = this.parts;
    const { sessions: signIns, devices } = services.auth;
    const session = new BrowserSession(request, context, sessions, signIns, devices, this.once);
    const words = (section: string) => this.writer.messages(section, locale);
    const visit = { request, services, actor, locale, prefix, home, params, session, viewing, words };
    return visit satisfies Visit<Account | null>;
  }

  // What is wrong with a form is shown where it was filled in; nothing typed is lost.
  private async submit(page: Page, sent: Visit<Account | null>): Promise<PageOutcome> {
    const wrong = await this.confirmPassword(sent);
    if (wrong !== null) return this.askPassword(sent, wrong);
    const isConfirmed = ['_current_password', '_current_code'].some((name) => field(sent.request, name) !== '');
    const visit = isConfirmed ? { ...sent, actor: await this.identify(sent.request) } : sent;
    try {
      return await page.handle(visit as never);
    } catch (error) {
      if (error instanceof ReauthenticationRequiredError) return this.askPassword(visit, null);
      if (!page.retry || !(error instanceof PortalError) || error.status === 404) throw error;
      const { template, status, headers } = failureOf(error);
      if (status >= 500)
        this.parts.logger.warn({ err: error, url: this.pathForLog(visit.request) }, 'a form could not be taken');
      const after = Number(headers['Retry-After']);
      const isLocked = after > LONGEST_WAIT_S;
      const problem = error instanceof ValidationError ? null : isLocked ? 'locked' : template;
      const retryAfter = after > 0 && !isLocked ? after : null;
      const state: FormState = { errors: error.errors, problem, old: readTyped(visit.request), status, retryAfter };
      const view = await page.retry(visit as never, state);
      return new View(view.template, view.values, {
        ...view.options,
        headers: { ...headers, ...view.options.headers },
      });
    }
  }

  // A form that was stopped for a fresh proof of the password comes again with it. @returns what is wrong with it
  private async confirmPassword(visit: Visit<Account | null>): Promise<string | null> {
    const { request, actor, services, session } = visit;
    const password = field(request, '_current_password');
    const codes = listField(request, '_current_code').map((code) => code.trim());
    if ((password === '' && codes.length === 0) || !actor) return null;
    if (password.length > LONGEST_PASSWORD) return 'wrong-password';
    if (codes.length > MOST_CODES || codes.some((code) => code.length > LONGEST_CODE)) return 'wrong-code';
    try {
      const proof = { password: password || undefined, codes };
      await session.renew(await services.auth.security.reauthenticate(actor, proof, request.info));
      return null;
    } catch (error) {
      if (error instanceof ValidationError) return error.errors.code ? 'wrong-code' : 'wrong-password';
      if (error instanceof TooManyAttemptsError) return 'limited';
      throw error;
    }
  }

  private async askPassword(visit: Visit<Account | null>, wrong: string | null): Promise<View> {
    const { request, actor, services } = visit;
    const questions = actor ? await services.auth.security.questions(actor) : [];
    const replay = [...request.form].flatMap(([name, values]) =>
      NOT_REPLAYED.includes(name) ? [] : values.map((value) => ({ name, value })),
    );
    return new View(
      'confirm-password',
      { action: request.url, replay, wrong, questions },
      { status: wrong ? 422 : 403 },
    );
  }

  private async answer(
    outcome: PageOutcome,
    setting: PageSetting,
    session: Pick<BrowserSession, 'challenge' | 'hasBegun'> | null,
  ): Promise<PageResponse> {
    if (outcome instanceof Redirect) {
      const { path, flash, options } = outcome;
      const isMet = session !== null && session.challenge !== null && session.hasBegun;
      const to = options.once === undefined ? path : await this.once.leave(setting.request, path, options.once);
      const cookies = isMet ? [challengeCookie('', 0, this.parts.prefix)] : [];
      return this.writer.redirect(new Redirect(to, flash, options), cookies);
    }
    if (outcome instanceof Download) return new PageResponse(outcome.status, outcome.body, outcome.headers);
    return this.writer.show(outcome, setting);
  }

  private localeOf(request: PageRequest, actor: Account | null): string {
    return readLocale(request, actor, this.parts.services.site.about);
  }
}

/** Pages that anybody may read, and what anybody may set (R07: they stay when sessions cannot be read). */
function needsNoSession({ audience, method, originOnly }: Page): boolean {
  return audience === 'everyone' && (method === 'get' || originOnly === true);
}
