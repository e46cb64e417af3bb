/** What everybody may know of a portal before anything is read from its database. */
export interface AboutPortal {
  readonly name: string;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  /** What a front end may offer. */
  readonly features: { readonly registration: boolean; readonly mfa: boolean; readonly oidc: boolean };
  /** Paths of the other surfaces; null for what is switched off. */
  readonly links: { readonly theme: string | null; readonly docs: string | null };
}
