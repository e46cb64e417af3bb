export interface PasswordVerdict {
  readonly matches: boolean;
  /** The password is right but its hash is weaker than today's; hash it anew. */
  readonly outdated: boolean;
}

/** Turns passwords into hashes and compares. The default is {@link Argon2Hasher}. */
export interface PasswordHasher {
  /** @throws ServiceUnavailableError when too many are waiting */
  hash(password: string): Promise<string>;
  /** An unknown or absurd hash never matches, and costs as much as a usual one (S08). */
  verify(password: string, stored: string): Promise<PasswordVerdict>;
  /** Takes as long as {@link verify}; for accounts that do not exist (S08). */
  verifyNothing(password: string): Promise<void>;
}
