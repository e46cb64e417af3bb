import type { PortalError, RequestInfo } from '../../core/index.js';
import type { AccountRef, AuthAccount } from './account.js';
import type { AdminActor, AuthContext, ConsumerActor } from './actor.js';
import type { LoginAnnouncement } from './login-announcement.js';

/** The specification's token pair. */
export interface TokenPair {
  readonly tokenType: 'Bearer';
  /** JWT. */
  readonly accessToken: string;
  /** Seconds that the access token lives; equals its `exp - iat`. */
  readonly expiresIn: number;
  /** Opaque. */
  readonly refreshToken: string;
}

/** What a valid access token says. */
export interface AccessClaims {
  readonly context: AuthContext;
  readonly accountId: number;
  readonly sid: string;
}

/**
 * Who the bearer of a token is. `api` guards the routes of developers and `admin` those of admins; a host may give others,
 * and `portalApi.guards` says which are used.
 */
export interface ApiGuard {
  /**
   * Asked with every request to a route of its context that carries a token. An account of the other context is refused,
   * whoever names it.
   * @param token as it was sent, at most 4096 bytes
   * @throws UnauthenticatedError, whatever the reason
   */
  authenticate(token: string, request: RequestInfo): Promise<ConsumerActor | AdminActor>;
}

/** The life cycle of tokens. The default is `TokenService`. */
export interface TokenServiceInterface {
  /**
   * Opens a sign-in of the API.
   * @param login what the tokens complete: announced in the transaction that opens the sign-in. Whoever has none leaves it
   * out, and the login is announced on its own
   */
  issue(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair>;
  /** Exchanges a refresh token. @throws UnauthenticatedError, TooManyAttemptsError */
  refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair>;
  /**
   * Ends the sign-in that a refresh token belongs to, if it is the owner's; anything else has no effect (S33).
   * @returns whether a sign-in ended. @throws TooManyAttemptsError
   */
  revoke(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<boolean>;
  /** Signature and claims only; whether the sign-in still lives is asked of the sessions. @throws UnauthenticatedError */
  verify(accessToken: string, context: AuthContext): Promise<AccessClaims>;
}

export interface LoginInput {
  readonly email: string;
  readonly password: string;
  /** Token of a device at which the account has signed in before; see `KnownDevices`. */
  readonly device?: string | undefined;
}

/** What a client of the API gets of a challenge, beside fields of the step's own. */
export interface LoginChallengeData {
  /** Goes back with what was asked for. */
  readonly challenge_token: string;
  /** Seconds that the token is good for. */
  readonly expires_in: number;
  /** Under snake_case names. */
  readonly [field: string]: unknown;
}

/** The credentials are right; something else must be proved first, for example a second factor. */
export interface LoginChallenge {
  readonly kind: 'challenge';
  readonly data: LoginChallengeData;
  readonly message: string;
  /** Where the login goes on in web pages; without it they can only say that they cannot take the challenge. */
  readonly page?: {
    /** Below the theme's prefix, for example `/login/mfa`. */
    readonly path: string;
    /** What the browser keeps meanwhile, in a cookie that no script reads. Letters, digits, `-` and `_`. */
    readonly token: string;
    /** Seconds that the token is good for. */
    readonly lifetime: number;
  };
}

export interface LoginRefusal {
  readonly kind: 'refused';
  /** `credentials` says the same for every reason (S08). */
  readonly reason: 'credentials' | 'limited' | 'email-not-verified';
  /** Seconds; of `limited`. */
  readonly retryAfter?: number;
}

/** Somebody who wants an account of their own, or a developer who wants another address. */
export interface RegistrationCandidate {
  /** As it is stored: trimmed, in lower case. Not yet proved to be theirs. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/**
 * `true`, or the sentence that stands at the e-mail field. A theme translates it under the words `fault.<sentence>`, with
 * `{number}` for numbers and `{text}` for what stands in double quotes.
 */
export type RegistrationVerdict = true | string;

export type AuthenticationOutcome =
  { readonly kind: 'account'; readonly account: AuthAccount } | LoginChallenge | LoginRefusal;

export type LoginOutcome =
  | { readonly kind: 'tokens'; readonly account: AuthAccount; readonly tokens: TokenPair }
  | LoginChallenge
  | LoginRefusal;

/** A further step of every login after the password, written once for API and theme; null lets the login go on. */
export type LoginStep = (account: AuthAccount, request: RequestInfo) => Promise<LoginChallenge | LoginRefusal | null>;

/** Where a signed-in account wants to go. */
export interface Entrance {
  readonly surface: 'api' | 'theme';
  /** The operation of a route (`listApps`), or method and declared path of a page (`get /apps/:name`). */
  readonly name: string;
  /**
   * Whether the route or page was declared to lead out of gates: it does what some gate asks for, or signs out. A gate lets it
   * pass, also one that asks for something else: of two gates neither stands in the way out of the other.
   */
  readonly leadsOut: boolean;
}

/** Why an account may not pass. */
export interface GateRefusal {
  /** What the API answers, and the theme too when it has no `page`. */
  readonly error: PortalError;
  /** Below the theme's prefix: the page that leads out of it. Always passable, so that nobody goes round in a circle. */
  readonly page?: string;
}

/**
 * Asked with every request of a signed-in account, after its session was found alive; null lets it pass. For rules such as
 * "who has to enrol a second factor reaches nothing else before".
 */
export type AccountGate = (actor: ConsumerActor | AdminActor, entrance: Entrance) => Promise<GateRefusal | null>;

/**
 * What an account is asked for beside its password where it proves itself anew (S80). When several modules ask an account, it
 * answers each of them. A module whose rule no other way to a recent sign-in may get round listens `within`
 * `SessionRenewingEvent`.
 */
export interface StepUp {
  /**
   * Asked before the form is shown and when a request came without an answer; may send a code. null: the password is
   * enough for this account.
   */
  question(actor: ConsumerActor | AdminActor): Promise<{ readonly words: string } | null>;
  /** Whether this is the right answer; uses it up. @throws TooManyAttemptsError */
  verify(actor: ConsumerActor | AdminActor, answer: string, request: RequestInfo): Promise<boolean>;
}

/** What modules add to signing in; filled while the portal is put together, read with every login. */
export interface LoginExtensions {
  readonly steps: readonly LoginStep[];
  readonly gates: readonly AccountGate[];
  readonly stepUps: readonly StepUp[];
}

/** The rules of signing in, for the API and the theme alike. The default is `AuthFlow`. */
export interface AuthFlowInterface {
  /**
   * Whether somebody may have an account under this address: asked before anything is stored, of every way to sign up, an
   * identity provider included, and before a developer changes the address. Accounts that admins make are not asked. Who
   * could never pass {@link obstacleTo} is refused here, or they would confirm an address that signs nobody in.
   * The answer must not depend on whether there is an account of the address (S10). Anything but `true` is a no.
   */
  mayRegister(candidate: RegistrationCandidate, request: RequestInfo): Promise<RegistrationVerdict>;
  /**
   * Who this is, or what stands in the way; emits the three Login events and never throws for a refusal.
   * @param login here and below: given when tokens follow at once, which then announce the completed login. Handed on as it
   * came; without it the login is announced on its own
   */
  authenticate(
    input: LoginInput,
    context: AuthContext,
    request: RequestInfo,
    login?: LoginAnnouncement,
  ): Promise<AuthenticationOutcome>;
  /**
   * What stands between an account that has proved itself and its sign-in: every rule and further step after the password;
   * null when nothing does. Asked of every way in, of registration too (S79).
   */
  obstacleTo(account: AuthAccount, request: RequestInfo): Promise<LoginChallenge | LoginRefusal | null>;
  /**
   * The rest of a login whose account proved itself by something other than a password, for example an identity provider:
   * {@link obstacleTo}, then {@link completeLogin}. Never throws for a refusal.
   */
  continueLogin(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<AuthenticationOutcome>;
  /** The end of every login; a step that answered with a challenge calls it once that is met, then issues tokens. */
  completeLogin(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<void>;
  /** {@link authenticate}, then {@link issueForUser}. */
  attemptLogin(input: LoginInput, context: AuthContext, request: RequestInfo): Promise<LoginOutcome>;
  /** A token pair for an account that proved itself by other means: registration, an identity provider, a factor. */
  issueForUser(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair>;
  /** @throws UnauthenticatedError, TooManyAttemptsError */
  refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair>;
  /** Whatever the token is, the answer is the same (S33). @throws TooManyAttemptsError */
  logout(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<void>;
}

/** Addresses of the pages that mails lead to, absolute. They are those of the theme, or of a host's own front end. */
export interface AccountPages {
  signIn(): string;
  forgotPassword(): string;
  resetPassword(token: string): string;
  verifyEmail(token: string): string;
  app(name: string): string;
}
