import type { UserRecord } from '../../src/domain/accounts/index.js';
import type { Answer } from './http-client.js';
import { createUser } from './factories.js';
import { signIn } from './sign-in.js';
import type { TestPortal } from './test-portal.js';

interface ProductOverrides {
  approval?: 'auto' | 'manual';
  visibility?: 'public' | 'private' | 'draft';
}

/** A product, written past the services; the gateway knows it as `gw-<slug>`. @returns its id */
export async function createProduct(
  { portal, clock }: TestPortal,
  slug: string,
  { approval = 'auto', visibility = 'public' }: ProductOverrides = {},
): Promise<number> {
  const now = clock.now();
  const { insertId } = await portal.database.execute(
    `INSERT INTO portal_products
       (slug, name, description, visibility, approval, gateway_product_id, custom_attributes, created_at, updated_at)
     VALUES (?, ?, '', ?, ?, ?, '{}', ?, ?)`,
    [slug, `Product ${slug}`, visibility, approval, `gw-${slug}`, now, now],
  );
  return insertId;
}

/** A signed-in developer who calls the API below `/api/v1/me/apps`. */
export class Developer {
  private constructor(
    private readonly test: TestPortal,
    readonly user: UserRecord,
    public token: string,
  ) {}

  static async create(test: TestPortal): Promise<Developer> {
    const user = await createUser(test);
    return new Developer(test, user, await signIn(test, user));
  }

  /** After a while access tokens end, and re-authentication asks for a fresh sign-in. */
  async signInAgain(): Promise<void> {
    this.token = await signIn(this.test, this.user);
  }

  get = (path = ''): Promise<Answer> => this.test.client.get(`/api/v1/me/apps${path}`, { token: this.token });
  post = (path: string, body: unknown = {}): Promise<Answer> =>
    this.test.client.post(`/api/v1/me/apps${path}`, body, { token: this.token });
  put = (path: string, body: unknown): Promise<Answer> =>
    this.test.client.put(`/api/v1/me/apps${path}`, body, { token: this.token });
  delete = (path: string): Promise<Answer> => this.test.client.delete(`/api/v1/me/apps${path}`, { token: this.token });

  /** A new app with a key for these products. */
  async createApp(name: string, products: readonly string[]): Promise<{ id: number; key: string; secret: string }> {
    const answer = await this.post('', { name, products });
    if (answer.status !== 201) throw new Error(`creating ${name} answered ${answer.status}: ${answer.text}`);
    const [credential] = answer.json.data.credentials;
    return { id: credential.id, key: credential.consumer_key, secret: credential.consumer_secret };
  }
}

/** Asks the verify endpoint as a proxy on this machine does. */
export async function verify(test: TestPortal, key: string | null, product = ''): Promise<Answer> {
  const path = product === '' ? '/gateway/verify' : `/gateway/verify/${product}`;
  return test.client.get(path, { headers: key === null ? {} : { 'X-API-Key': key } });
}

/** The reason that the verify endpoint gives, or `open`. */
export async function doorState(test: TestPortal, key: string, product = ''): Promise<string> {
  const { status, headers } = await verify(test, key, product);
  return status === 200 ? 'open' : (headers.get('x-auth-reason') ?? `status ${status}`);
}
