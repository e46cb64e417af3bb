/** A further way to sign in: a link on the login and the registration page. */
export interface LoginLink {
  /** Below the prefix; a `return_to` is added. */
  readonly path: string;
  /** Key of its words, which may say `{name}`. */
  readonly words: string;
  readonly name?: string;
}

/** A page about the own account: a link in the menu of the account and on the profile. */
export interface AccountLink {
  /** Below the prefix. */
  readonly path: string;
  /** Key of its words. */
  readonly words: string;
}

/** What modules add to pages that are not theirs. */
export interface MenuLinks {
  readonly login: readonly LoginLink[];
  readonly account: readonly AccountLink[];
}
