import { createLogger, PortalError } from '../../src/core/index.js';

const SECRET = 'hunter2-and-more';

function logged(fields: Record<string, unknown>): string {
  let text = '';
  createLogger('debug', { write: (line: string) => void (text += line) }).debug(fields, 'a sentence');
  return text;
}

describe('a log line (S69)', () => {
  it.each([
    ...['password', 'PASSWORD', 'new_password', 'passwd', 'passphrase', 'password_confirmation', 'passwordHash'],
    ...[
      'secret',
      'client_secret',
      'clientSecret',
      'consumer-secret',
      'jwtSecret',
      'token',
      'access_token',
      'refreshToken',
    ],
    ...['authorization', 'Authorization', 'cookie', 'set-cookie', 'Set_Cookie', 'api_key', 'X-API-Key', 'apikey'],
    ...[
      'consumer_key',
      'consumerKey',
      'private_key',
      'otp',
      'recovery_code',
      'recoveryCodes',
      'credential',
      'reset_link',
    ],
  ])('masks what is called %s, at any depth and in any shape', (name) => {
    for (const value of [SECRET, [SECRET], { a: SECRET }, [[{ a: SECRET }]]]) {
      for (const fields of [{ [name]: value }, { a: { b: [{ [name]: value }] } }]) {
        expect(logged(fields)).not.toContain(SECRET);
      }
    }
  });

  it('shows what is no secret, also when its name is like one', () => {
    const fields = { credential_id: 7, email: 'a@example.com', missing_token: null, keys: 3 };
    expect(JSON.parse(logged(fields))).toMatchObject({ level: 'debug', ...fields });
  });

  it('tells of an error its kind, sentence and place, and nothing that a driver hung onto it', () => {
    const cause = Object.assign(new Error('the driver'), {
      sql: SECRET,
      parameters: [SECRET],
      parent: { sql: SECRET },
    });
    const error = Object.assign(new PortalError({ cause, detail: 'why' }), {
      request: { body: SECRET },
      fields: SECRET,
    });
    const line = logged({ err: error, nested: { err: cause } });
    expect(line).not.toContain(SECRET);
    expect(JSON.parse(line).err).toMatchObject({
      type: 'PortalError',
      code: 'internal_error',
      detail: 'why',
      cause: { message: 'the driver' },
    });
  });

  it('is one line whatever is in it, and no bytes of buffers', () => {
    const line = logged({ path: '/a\r\n{"level":"fatal"}\u2028', buffer: Buffer.from(SECRET), deep: deepObject(50) });
    expect(line.trim().split('\n')).toHaveLength(1);
    expect(line).not.toContain(SECRET);
    expect(JSON.parse(line).level).toBe('debug');
  });
});

function deepObject(depth: number): object {
  return depth === 0 ? { end: SECRET } : { next: deepObject(depth - 1) };
}
