export interface PasswordCheck {
  readonly matches: boolean;
  /** The password is right but its hash is weaker than today's; hash it anew. */
  readonly outdated: boolean;
}

/** Hashes and verifies passwords. The default is {@link Argon2Hasher}. */
export interface PasswordHasher {
  /** @throws ServiceUnavailableError when the queue is full */
  hash(password: string): Promise<string>;
  /** An unknown or absurd hash never matches, and takes as long as a normal one (S08). */
  verify(password: string, stored: string): Promise<PasswordCheck>;
  /** Takes as long as {@link verify}; for accounts that do not exist (S08). */
  verifyNothing(password: string): Promise<void>;
}
