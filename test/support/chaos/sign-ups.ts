import type { TestClient } from '../http-client.js';
import { PageClient } from '../page-client.js';

export const SIGN_UP_PASSWORD = 'correct horse battery staple';

export interface SignedUp {
  /** A signed-in browser. */
  readonly page: PageClient;
  /** A bearer token. */
  readonly token: string;
  readonly email: string;
}

/** Registers developers at the first replica, and signs them in at the last. */
export class SignUps {
  private count = 0;

  /** @param name prefix of their addresses */
  constructor(
    private readonly clients: readonly [TestClient, ...TestClient[]],
    private readonly name = 'chaos',
  ) {}

  /** @throws Error with the answer if the registration is refused */
  async next(): Promise<SignedUp> {
    this.count += 1;
    const [first] = this.clients;
    const last = this.clients.at(-1) ?? first;
    const email = `${this.name}${this.count}@example.com`;
    const registered = await first.post('/api/v1/auth/register', registration(email));
    if (registered.status !== 201)
      throw new Error(`the registration answered ${registered.status}: ${registered.text}`);
    const login = await last.post('/api/v1/auth/login', { email, password: SIGN_UP_PASSWORD });
    const { access_token: token } = login.json.data as { access_token: string };
    const page = new PageClient(first);
    await page.submit('/portal/login', { email, password: SIGN_UP_PASSWORD }, { follow: false });
    return { page, token, email };
  }
}

/** The body of a registration. */
export function registration(email: string) {
  const secrets = { password: SIGN_UP_PASSWORD, password_confirmation: SIGN_UP_PASSWORD };
  return { first_name: 'Ada', last_name: 'Chaos', email, ...secrets };
}
