import Joi from 'joi';
import type { AdminRecord } from '../../src/domain/accounts/index.js';
import { createAdmin, createRole } from './factories.js';
import type { Answer, Call } from './http-client.js';
import { signIn } from './sign-in.js';
import type { TestPortal } from './test-portal.js';

/** A signed-in admin who calls the API below `/api/v1/admin`; successful answers are checked against their declaration. */
export class Admin {
  private constructor(
    private readonly test: TestPortal,
    readonly record: AdminRecord,
    public token: string,
  ) {}

  /** Creates an admin with these permissions besides access to the admin API, or else a super admin. */
  static async create(test: TestPortal, permissions?: readonly string[]): Promise<Admin> {
    await test.portal.services.rbac.seed();
    const role = permissions && (await createRole(test, ['portal.admin.access', ...permissions]));
    const record = await createAdmin(test, { roles: [role ?? 'super_admin'] });
    return new Admin(test, record, await signIn(test, record));
  }

  get = (path: string): Promise<Answer> => this.send('GET', path);
  post = (path: string, body: unknown = {}, call: Call = {}): Promise<Answer> =>
    this.send('POST', path, { body, ...call });
  put = (path: string, body: unknown, call: Call = {}): Promise<Answer> => this.send('PUT', path, { body, ...call });
  delete = (path: string, call: Call = {}): Promise<Answer> => this.send('DELETE', path, call);

  private async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { client, portal } = this.test;
    const answer = await client.send(method, `/api/v1/admin${path}`, { token: this.token, ...call });
    if (answer.status < 400) {
      const called = path.split('?', 1)[0] ?? '';
      const route = portal.routes.find(
        ({ method: declared, path: shape, context }) =>
          context === 'admin' &&
          declared.toUpperCase() === method &&
          new RegExp(`^${shape.replace(/:\w+/g, '[^/]+')}$`).test(called),
      );
      const schema = route?.reply[answer.status];
      if (!schema) throw new Error(`${method} ${called} does not declare ${answer.status}`);
      Joi.assert(answer.json.data, schema, { convert: false });
    }
    return answer;
  }
}
