/** Public facts about a portal that need no database. */
export interface AboutPortal {
  readonly name: string;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  /** Features that a front end may offer. */
  readonly features: { readonly registration: boolean; readonly mfa: boolean; readonly oidc: boolean };
  /** Paths of the other surfaces; null if switched off. */
  readonly links: { readonly theme: string | null; readonly docs: string | null };
}
