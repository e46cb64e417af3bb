/** Layer 2 of admin authorization, called by controllers; a host may replace it. */
export interface ApiAuthorizer {
  /**
   * @param ability for example `view`, `create`, `update`, `delete`
   * @param subject the resource, for example `users`
   * @throws ForbiddenError
   */
  authorize(admin: { readonly id: number }, ability: string, subject: string): Promise<void>;
}
