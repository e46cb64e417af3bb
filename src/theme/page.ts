import type { AuthAccount, ConsumerActor } from '../domain/auth/index.js';
import type { PageRequest, PlainCookie } from '../http/index.js';
import type { FieldErrors } from '../core/index.js';
import type { ThemeServices } from './services.js';

/** What a page shows: a template and its values. */
export class View {
  constructor(
    /** Under `pages/`, without ending. */
    readonly template: string,
    readonly values: Readonly<Record<string, unknown>>,
    readonly options: ViewOptions = {},
  ) {}
}

export interface ViewOptions {
  /** Default 200. */
  readonly status?: number;
  /** Key of the title's words; the template's name by default. */
  readonly title?: string;
  /** The title itself, for what has a name of its own. */
  readonly heading?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins that scripts of the page may ask, beside our own (`connect-src`). */
  readonly connect?: readonly string[];
}

/** Leads on after a POST. */
export class Redirect {
  constructor(
    /** Below the prefix, beginning with a slash. */
    readonly path: string,
    /** Words to show there once: `flash.<key>`. */
    readonly flash?: string,
    readonly options: RedirectOptions = {},
  ) {}
}

export interface RedirectOptions {
  /** `path` is a whole address of another site, one that the portal itself made. */
  readonly external?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly PlainCookie[];
  /**
   * What the page there shows once, such as a key that was just made; plain data. It waits with the server, sealed, for five
   * minutes, and only the same sign-in gets it, from `session.takeShown()`.
   */
  readonly once?: unknown;
}

/** A file instead of a page. */
export class Download {
  constructor(
    readonly body: string | Buffer | AsyncIterable<string | Buffer>,
    readonly headers: Readonly<Record<string, string>>,
    readonly status = 200,
  ) {}
}

export type PageOutcome = View | Redirect | Download;

/** Who a page is for: `developers` sends visitors to the login, `guests` sends who is signed in to the dashboard. */
export type Audience = 'everyone' | 'developers' | 'guests';

/** What went wrong with a form, and what was typed. */
export interface FormState {
  readonly errors: FieldErrors;
  /** A sentence for the whole form; null when fields say it all. */
  readonly problem: string | null;
  /** As typed, without passwords. */
  readonly old: Readonly<Record<string, unknown>>;
  readonly status: number;
  /** Seconds until it makes sense to try again; null when nothing says so. */
  readonly retryAfter: number | null;
}

export interface Visit<Who> {
  readonly request: PageRequest;
  readonly services: ThemeServices;
  readonly actor: Who;
  readonly locale: string;
  /** `/portal` */
  readonly prefix: string;
  readonly params: Readonly<Record<string, string>>;
  readonly session: VisitSession;
}

/** What a page may do with the browser session. */
export interface VisitSession {
  /** Opens a sign-in of an account that has proved itself, under a new id (S36). */
  signIn(account: AuthAccount): Promise<void>;
  /** Ends the sign-in and the session with it. */
  signOut(): Promise<void>;
  /** Of a login that has to be met with something else first: what the challenge gave the browser; null without one. */
  readonly challenge: string | null;
  /**
   * The same sign-in under a new id, after a proof of the account.
   * @param sid what the sign-in is called from now on, as whatever took the proof answered
   */
  renew(sid?: string): Promise<void>;
  /** What the form that led here left to be shown, the first time; undefined from then on. */
  takeShown(): Promise<unknown>;
}

interface PageDeclaration<Who> {
  readonly method: 'get' | 'post';
  /** Below the prefix, parameters as `:name`. */
  readonly path: string;
  readonly audience: Audience;
  /** Most calls that showing the page may cost a slow neighbour, as the routes of the API declare it: `{ gateway: 1 }`. */
  readonly budget?: Readonly<Record<string, number>>;
  /** Leads out of gates, as a route may: stays open to accounts that a gate of a module holds back. */
  readonly leadsOut?: true;
  /** POST only: takes requests without a token, for what changes nothing but a preference. */
  readonly originOnly?: true;
  handle(visit: Visit<Who>): Promise<PageOutcome>;
  /** POST only: the page with the form again, when something was wrong with what was sent. */
  retry?(visit: Visit<Who>, state: FormState): Promise<View>;
}

/** A declared page with its types forgotten. */
export type Page = PageDeclaration<never>;

type WhoOf<A extends Audience> = A extends 'developers'
  ? ConsumerActor
  : A extends 'guests'
    ? null
    : ConsumerActor | null;

/** Declares a page; the only source of its address, its method and who may see it. */
export function definePage<const A extends Audience>(page: PageDeclaration<WhoOf<A>> & { audience: A }): Page {
  return page;
}
