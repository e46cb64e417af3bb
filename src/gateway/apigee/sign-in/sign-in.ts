/** How the portal shows Apigee who it is. */
export interface SignIn {
  /** Value of the `Authorization` header. @throws the errors of the contract */
  authorization(): Promise<string>;
  /**
   * Apigee did not take that value.
   * @returns whether the next one may be better
   */
  renew(refused: string): boolean;
}

/** A value that stays: Basic authentication, or a token that somebody pasted. */
export class FixedSignIn implements SignIn {
  constructor(private readonly value: string) {}

  authorization(): Promise<string> {
    return Promise.resolve(this.value);
  }

  renew(): boolean {
    return false;
  }
}

export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
