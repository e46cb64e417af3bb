/** An additional way to sign in: a link on the login and registration pages. */
export interface LoginLink {
  /** Path below the prefix; a `return_to` is added. */
  readonly path: string;
  /** Key of its message, which may contain `{name}`. */
  readonly words: string;
  readonly name?: string;
}

/** A page about the own account: a link in the account menu and on the profile. */
export interface AccountLink {
  /** Path below the prefix. */
  readonly path: string;
  /** Key of its message. */
  readonly words: string;
}

/** Links that modules add to pages of the theme. */
export interface MenuLinks {
  readonly login: readonly LoginLink[];
  readonly account: readonly AccountLink[];
}
