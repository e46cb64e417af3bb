import type { AdminActor, AuthAccount, ConsumerActor } from '../domain/auth/index.js';
import type { DeveloperView } from '../domain/console/index.js';
import type { PageRequest, PlainCookie } from '../http/index.js';
import type { FieldErrors } from '../core/index.js';
import type { PortalServices } from '../domain/services.js';

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
  /** Key of the title's message; the template's name by default. */
  readonly title?: string;
  /** The title itself, for what has a name of its own. */
  readonly heading?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What search engines are told beside name, description and address, in words of schema.org. */
  readonly linkedData?: (address: string) => Readonly<Record<string, unknown>>;
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
   * Shown once by the target page, such as a new key; plain data. Stored on the server, encrypted, for five minutes;
   * only the same sign-in can read it, with `session.takeShown()`.
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

/**
 * Audience of a page: `developers`, and `admins` in the console, redirects visitors to the login, `guests` redirects
 * signed-in ones to the first page.
 */
export type Audience = 'everyone' | 'developers' | 'guests' | 'admins';

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

/** An admin views the portal as a developer sees it. */
export interface Viewing {
  readonly view: DeveloperView;
  readonly admin: AdminActor;
  /** The developer, who is signed in nowhere by this and has proved nothing. */
  readonly actor: ConsumerActor;
  /** Path of the developer in the console. */
  readonly back: string;
  /** Names, and the time that is left. */
  readonly banner: { readonly developer: string; readonly admin: string; readonly minutes: number };
}

export interface Visit<Who> {
  readonly request: PageRequest;
  readonly services: PortalServices;
  readonly actor: Who;
  readonly locale: string;
  /** `/portal` */
  readonly prefix: string;
  /** Where signed-in accounts begin, below the prefix: `/dashboard`. */
  readonly home: string;
  readonly params: Readonly<Record<string, string>>;
  readonly session: VisitSession;
  /** Set while an admin views the portal as the developer who is `actor` here. */
  readonly viewing: Viewing | null;
  /** All messages of a section in the reader's language, by key, for what is written elsewhere than in a template. */
  words(section: string): Promise<Readonly<Record<string, string>>>;
}

/** What a page may do with the browser session. */
export interface VisitSession {
  /** Signs in an authenticated account, under a new session id (S36). */
  signIn(account: AuthAccount): Promise<void>;
  /** Ends the sign-in and the session with it. */
  signOut(): Promise<void>;
  /** The pending login's challenge token from the browser; null without one. */
  readonly challenge: string | null;
  /**
   * Keeps the sign-in under a new session id, after the account was re-authenticated.
   * @param sid the new id of the sign-in, if re-authentication returned one
   */
  renew(sid?: string): Promise<void>;
  /** The value left by the preceding form, once; undefined afterwards. */
  takeShown(): Promise<unknown>;
}

interface PageDeclaration<Who> {
  readonly method: 'get' | 'post';
  /** Below the prefix, parameters as `:name`. */
  readonly path: string;
  readonly audience: Audience;
  /** Most calls that showing the page may cost a slow neighbour, as the routes of the API declare it: `{ gateway: 1 }`. */
  readonly budget?: Readonly<Record<string, number>>;
  /** Exempt from gates, like a route: open to accounts that a module's gate blocks. */
  readonly exemptFromGates?: true;
  /**
   * Shown to an admin who views the portal as a developer. Only for what writes nothing and shows no secret; everything
   * else is refused there.
   */
  readonly viewable?: true;
  /** POST only: takes requests without a token, for what changes nothing but a preference. */
  readonly originOnly?: true;
  /** In the console: the admin operations that it runs; who may not call one of them neither opens nor sends it. */
  readonly needs?: readonly string[];
  /** Those that it also runs if the admin may call them. */
  readonly runs?: readonly string[];
  /** POST only: takes a file in this field, as `multipart/form-data`. */
  readonly file?: { readonly field: string; readonly maxBytes: (services: PortalServices) => number };
  /** Served to agents alone, so never without `agents.enabled`. */
  readonly forAgents?: true;
  handle(visit: Visit<Who>): Promise<PageOutcome>;
  /** GET only: the same as Markdown, at the path with `.md` and for requests with `Accept: text/markdown`. */
  markdown?(visit: Visit<Who>): Promise<string>;
  /** POST only: the page with the form again, when something was wrong with what was sent. */
  retry?(visit: Visit<Who>, state: FormState): Promise<View>;
}

/** A declared page with its types forgotten. */
export type Page = PageDeclaration<never>;

type WhoOf<A extends Audience> = A extends 'developers'
  ? ConsumerActor
  : A extends 'admins'
    ? AdminActor
    : A extends 'guests'
      ? null
      : ConsumerActor | null;

/** Declares a page; the only source of its address, its method and who may see it. */
export function definePage<const A extends Audience>(page: PageDeclaration<WhoOf<A>> & { audience: A }): Page {
  return page;
}
