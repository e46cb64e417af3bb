import Joi from 'joi';
import type { Answer, Call } from './http-client.js';
import { createAdmin } from './factories.js';
import { signIn } from './sign-in.js';
import type { TestPortal } from './test-portal.js';

/** A signed-in admin who calls the API below `/api/v1/admin`. */
export class AdminClient {
  private constructor(
    private readonly test: TestPortal,
    readonly token: string,
  ) {}

  static async create(test: TestPortal, roles: readonly string[] = ['super_admin']): Promise<AdminClient> {
    await test.portal.services.rbac.seed();
    return new AdminClient(test, await signIn(test, await createAdmin(test, { roles })));
  }

  get = (path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> => {
    const search = new URLSearchParams(query).toString();
    return this.send('GET', search === '' ? path : `${path}?${search}`, { headers });
  };
  post = (path: string, body: unknown = {}): Promise<Answer> => this.send('POST', path, { body });
  put = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('PUT', path, { body, headers });
  delete = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('DELETE', path, { headers });

  /** Checks every successful answer against its declaration. */
  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { client, portal } = this.test;
    const answer = await client.send(method, `/api/v1/admin${path}`, { token: this.token, ...call });
    if (answer.status >= 300 || answer.json === undefined || !('success' in answer.json)) return answer;
    const called = path.split('?', 1)[0] ?? '';
    const route = portal.routes.find(
      (candidate) =>
        candidate.context === 'admin' &&
        candidate.method.toUpperCase() === method &&
        shape(candidate.path).test(called),
    );
    const schema = route?.reply[answer.status];
    if (!schema) throw new Error(`${method} ${called} does not declare ${answer.status}`);
    Joi.assert(answer.json.data, schema, { convert: false });
    return answer;
  }
}

function shape(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}
