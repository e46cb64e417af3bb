import Joi from 'joi';
import type { UserRecord } from '../../src/domain/accounts/index.js';
import type { Answer } from './http-client.js';
import { createUser } from './factories.js';
import { signIn } from './sign-in.js';
import type { TestPortal } from './test-portal.js';

/** A signed-in developer who calls the API below `/api/v1/me/apps`. */
export class Developer {
  private constructor(
    private readonly test: TestPortal,
    readonly user: UserRecord,
    public token: string,
  ) {}

  static async create(test: TestPortal, overrides: Parameters<typeof createUser>[1] = {}): Promise<Developer> {
    const user = await createUser(test, overrides);
    return new Developer(test, user, await signIn(test, user));
  }

  /** For tests that advance the clock: access tokens expire, and reauthentication needs a recent sign-in. */
  async signInAgain(): Promise<void> {
    this.token = await signIn(this.test, this.user);
  }

  get = (path = ''): Promise<Answer> => this.send('GET', path);
  post = (path: string, body: unknown = {}): Promise<Answer> => this.send('POST', path, body);
  put = (path: string, body: unknown): Promise<Answer> => this.send('PUT', path, body);
  delete = (path: string): Promise<Answer> => this.send('DELETE', path);

  /** Checks every successful answer against its declaration. */
  private async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const { client, portal } = this.test;
    const call = { token: this.token, ...(body === undefined ? {} : { body }) };
    const answer = await client.send(method, `/api/v1/me/apps${path}`, call);
    if (answer.status < 400) {
      const called = `/me/apps${path}`.split('?', 1)[0] ?? '';
      const route = portal.routes.find(
        (candidate) => candidate.method.toUpperCase() === method && shape(candidate.path).test(called),
      );
      const schema = route?.reply[answer.status];
      if (!schema) throw new Error(`${method} ${called} does not declare ${answer.status}`);
      Joi.assert(answer.json.data, schema, { convert: false });
    }
    return answer;
  }

  /** Creates an app with a key for these products. */
  async createApp(
    name: string,
    products: readonly (string | { readonly slug: string; readonly plan: string })[],
  ): Promise<{ id: number; key: string; secret: string }> {
    const answer = await this.post('', { name, products });
    if (answer.status !== 201) throw new Error(`creating ${name} answered ${answer.status}: ${answer.text}`);
    const [credential] = answer.json.data.credentials;
    return { id: credential.id, key: credential.consumer_key, secret: credential.consumer_secret };
  }
}

/** Calls the verify endpoint like a proxy on this machine. */
export async function verify(test: TestPortal, key: string | null, product = ''): Promise<Answer> {
  const path = product === '' ? '/gateway/verify' : `/gateway/verify/${product}`;
  return test.client.get(path, { headers: key === null ? {} : { 'X-API-Key': key } });
}

/** The reason given by the verify endpoint, or `open`. */
export async function readKeyAccess(test: TestPortal, key: string, product = ''): Promise<string> {
  const { status, headers } = await verify(test, key, product);
  return status === 200 ? 'open' : (headers.get('x-auth-reason') ?? `status ${status}`);
}

function shape(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}
