import type { PortalError, RequestInfo } from '../../core/index.js';
import type { AccountRef, AuthAccount } from './account.js';
import type { AdminActor, AuthContext, ConsumerActor } from './actor.js';
import type { LoginAnnouncement } from './login-announcement.js';

/** The specification's token pair. */
export interface TokenPair {
  readonly tokenType: 'Bearer';
  /** JWT. */
  readonly accessToken: string;
  /** Lifetime of the access token in seconds; equals its `exp - iat`. */
  readonly expiresIn: number;
  /** Opaque. */
  readonly refreshToken: string;
}

/** Claims of a valid access token. */
export interface AccessClaims {
  readonly context: AuthContext;
  readonly accountId: number;
  readonly sid: string;
}

/**
 * Authenticates bearer tokens. `api` guards the routes of developers and `admin` those of admins; a host may provide
 * others, and `portalApi.guards` selects the ones in use.
 */
export interface ApiGuard {
  /**
   * Called for every request with a token to a route of its context. An account of the other context is refused,
   * whichever guard returns it.
   * @param token as it was sent, at most 4096 bytes
   * @throws UnauthenticatedError, whatever the reason
   */
  authenticate(token: string, request: RequestInfo): Promise<ConsumerActor | AdminActor>;
}

/** The life cycle of tokens. The default is `TokenService`. */
export interface TokenServiceInterface {
  /**
   * Opens an API session.
   * @param login the login that the tokens complete: announced in the transaction that opens the session. If omitted,
   *   the login is announced separately
   */
  issue(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair>;
  /** Exchanges a refresh token. @throws UnauthenticatedError, TooManyAttemptsError */
  refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair>;
  /**
   * Ends the session of a refresh token if it belongs to the owner; otherwise does nothing (S33).
   * @returns whether a session ended. @throws TooManyAttemptsError
   */
  revoke(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<boolean>;
  /** Checks signature and claims only, not whether the session is active. @throws UnauthenticatedError */
  verify(accessToken: string, context: AuthContext): Promise<AccessClaims>;
}

export interface LoginInput {
  readonly email: string;
  readonly password: string;
  /** Token of a device where the account has signed in before; see `KnownDevices`. */
  readonly device?: string | undefined;
}

/** What an API client gets for a challenge, plus fields specific to the step. */
export interface LoginChallengeData {
  /** The client sends it back with the answer. */
  readonly challenge_token: string;
  /** Lifetime of the token in seconds. */
  readonly expires_in: number;
  /** Names are in snake_case. */
  readonly [field: string]: unknown;
}

/** The credentials are right; something else must be proved first, for example a second factor. */
export interface LoginChallenge {
  readonly kind: 'challenge';
  readonly data: LoginChallengeData;
  readonly message: string;
  /** Where the login continues in web pages; without it they can only report that the challenge is unsupported. */
  readonly page?: {
    /** Below the theme's prefix, for example `/login/mfa`. */
    readonly path: string;
    /** Kept by the browser in an HttpOnly cookie. Letters, digits, `-` and `_`. */
    readonly token: string;
    /** Lifetime of the token in seconds. */
    readonly lifetime: number;
  };
}

export interface LoginRefusal {
  readonly kind: 'refused';
  /** `credentials` looks the same for every cause (S08). */
  readonly reason: 'credentials' | 'limited' | 'email-not-verified';
  /** Seconds; for `limited`. */
  readonly retryAfter?: number;
}

/** A person who signs up, or a developer who changes their address. */
export interface RegistrationCandidate {
  /** Stored form: trimmed, in lower case. Not yet confirmed. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/**
 * `true`, or the sentence to show at the e-mail field. A theme translates it under the message key `fault.<sentence>`,
 * with `{number}` for numbers and `{text}` for text in double quotes.
 */
export type RegistrationVerdict = true | string;

export type AuthenticationOutcome =
  { readonly kind: 'account'; readonly account: AuthAccount } | LoginChallenge | LoginRefusal;

export type LoginOutcome =
  | { readonly kind: 'tokens'; readonly account: AuthAccount; readonly tokens: TokenPair }
  | LoginChallenge
  | LoginRefusal;

/** A further step of every login after the password, for API and theme alike; null lets the login continue. */
export type LoginStep = (account: AuthAccount, request: RequestInfo) => Promise<LoginChallenge | LoginRefusal | null>;

/** The route or page that a signed-in account requests. */
export interface Entrance {
  readonly surface: 'api' | 'theme';
  /** The operation of a route (`listApps`), or method and declared path of a page (`get /apps/:name`). */
  readonly name: string;
  /**
   * Whether the route or page is declared as a way out of gates: it fulfils what some gate demands, or signs out. Every
   * gate lets it pass, also one with another demand, so that gates do not block each other's way out.
   */
  readonly exemptFromGates: boolean;
}

/** Why a gate refuses an account. */
export interface GateRefusal {
  /** The API's response, and the theme's too if there is no `page`. */
  readonly error: PortalError;
  /** Below the theme's prefix: the page that resolves the refusal. It always passes, so redirects cannot loop. */
  readonly page?: string;
}

/**
 * Called for every request of a signed-in account with an active session; null lets it pass. For rules such as "no
 * access before a second factor is enrolled".
 */
export type AccountGate = (actor: ConsumerActor | AdminActor, entrance: Entrance) => Promise<GateRefusal | null>;

/**
 * What an account must prove besides its password when it reauthenticates (S80). If several modules ask for something,
 * the account must answer each. To enforce a rule on every path to a recent sign-in, listen `within` /
 * `SessionRenewingEvent`.
 */
export interface StepUp {
  /**
   * Called before the form is shown and when a request came without an answer; may send a code. null: the password is
   * enough for this account.
   */
  question(actor: ConsumerActor | AdminActor): Promise<{ readonly words: string } | null>;
  /** Whether the answer is right; uses it up. @throws TooManyAttemptsError */
  verify(actor: ConsumerActor | AdminActor, answer: string, request: RequestInfo): Promise<boolean>;
}

/** Login extensions of modules; filled while the portal is built, read on every login. */
export interface LoginExtensions {
  readonly steps: readonly LoginStep[];
  readonly gates: readonly AccountGate[];
  readonly stepUps: readonly StepUp[];
}

/** The sign-in rules, for the API and the theme alike. The default is `AuthFlow`. */
export interface AuthFlowInterface {
  /**
   * Whether somebody may have an account under this address: called before anything is stored, on every kind of
   * sign-up, including identity providers, and before a developer changes the address. Not called for accounts that
   * admins create. Refuse here whoever could never pass {@link obstacleTo}; they would confirm an address that cannot
   * sign in. The answer must not depend on whether the address has an account (S10). Anything but `true` means no.
   */
  mayRegister(candidate: RegistrationCandidate, request: RequestInfo): Promise<RegistrationVerdict>;
  /**
   * Returns the account or the obstacle; emits the three Login events and never throws for a refusal.
   * @param login here and below: given when tokens follow at once, which then announce the completed login. Pass it on
   *   unchanged; without it the login is announced separately
   */
  authenticate(
    input: LoginInput,
    context: AuthContext,
    request: RequestInfo,
    login?: LoginAnnouncement,
  ): Promise<AuthenticationOutcome>;
  /**
   * What keeps a proven account from signing in: every rule and further step after the password; null if nothing does.
   * Applies to every kind of sign-in, and to registration (S79).
   */
  obstacleTo(account: AuthAccount, request: RequestInfo): Promise<LoginChallenge | LoginRefusal | null>;
  /**
   * The rest of a login whose account proved itself by something other than a password, for example an identity
   * provider: {@link obstacleTo}, then {@link completeLogin}. Never throws for a refusal.
   */
  continueLogin(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<AuthenticationOutcome>;
  /** The end of every login; a step that issued a challenge calls it once that is met, then issues tokens. */
  completeLogin(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<void>;
  /** {@link authenticate}, then {@link issueForUser}. */
  attemptLogin(input: LoginInput, context: AuthContext, request: RequestInfo): Promise<LoginOutcome>;
  /** A token pair for an account that proved itself by other means: registration, an identity provider, a factor. */
  issueForUser(account: AuthAccount, request: RequestInfo, login?: LoginAnnouncement): Promise<TokenPair>;
  /** @throws UnauthenticatedError, TooManyAttemptsError */
  refresh(refreshToken: string, context: AuthContext, request: RequestInfo): Promise<TokenPair>;
  /** The response is the same for any token (S33). @throws TooManyAttemptsError */
  logout(refreshToken: string, owner: AccountRef, request: RequestInfo): Promise<void>;
}

/** Absolute URLs of the pages that mails link to: the theme's, or those of a host's own front end. */
export interface AccountPages {
  signIn(): string;
  forgotPassword(): string;
  resetPassword(token: string): string;
  verifyEmail(token: string): string;
  /** @param team id of the team that owns it; null: its developer does */
  app(name: string, team: number | null): string;
}
