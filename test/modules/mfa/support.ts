import { generateSync } from 'otplib';
import type { AdminRecord, UserRecord } from '../../../src/domain/accounts/index.js';
import { mfa } from '../../../src/modules/mfa/index.js';
import { PASSWORD } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { Mailbox } from '../../support/mailbox.js';
import { signInPair } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../../support/test-portal.js';

const HIGH = { ip: { requests: { max: 10_000 }, failingAccounts: { max: 10_000 } } };

export interface MfaPortal extends TestPortal {
  readonly box: Mailbox;
}

export async function startMfaPortal(
  options: Record<string, string> = {},
  extra: TestPortalOptions = {},
): Promise<MfaPortal> {
  const box = new Mailbox();
  const config = { limits: HIGH, ...extra.config, mfa: options } as TestPortalOptions['config'];
  const test = await startTestPortal({
    ...extra,
    config: config ?? {},
    extensions: { modules: [mfa], mailer: () => box, ...extra.extensions },
  });
  return Object.assign(test, { box });
}

type Account = UserRecord | AdminRecord;

/** One account of either context, and what it does below `/api/v1` or `/api/v1/admin`. */
export class Person {
  access = '';
  refreshToken = '';
  secret = '';
  recoveryCodes: string[] = [];

  constructor(
    readonly test: MfaPortal,
    readonly account: Account,
  ) {}

  get prefix(): string {
    return `/api/v1${'firstName' in this.account ? '' : '/admin'}`;
  }

  call(method: string, path: string, body?: unknown, token: string | null = this.access): Promise<Answer> {
    const call = { ...(body === undefined ? {} : { body }), ...(token === null ? {} : { token }) };
    return this.test.client.send(method, this.prefix + path, call);
  }

  async signIn(): Promise<void> {
    const pair = await signInPair(this.test, this.account);
    [this.access, this.refreshToken] = [pair.access_token, pair.refresh_token];
  }

  login(): Promise<Answer> {
    return this.call('POST', '/auth/login', { email: this.account.email, password: PASSWORD }, null);
  }

  /** Password right; the token of the challenge. */
  async challenge(): Promise<string> {
    const { status, json, text } = await this.login();
    if (status !== 202) throw new Error(`the login answered ${status}: ${text}`);
    return json.data.challenge_token;
  }

  verify(token: string, code: string, factor?: string): Promise<Answer> {
    const body = { challenge_token: token, code, ...(factor === undefined ? {} : { factor }) };
    return this.call('POST', '/auth/mfa/verify', body, null);
  }

  /** The code that the authenticator shows, `steps` away from now. */
  code(steps = 0): string {
    const epoch = Math.floor(this.test.clock.now().getTime() / 1000) + steps * 30;
    return generateSync({ secret: this.secret, epoch });
  }

  /** A code that is none of those near by. */
  wrongCode(): string {
    const near = [-2, -1, 0, 1, 2].map((step) => (this.secret === '' ? '' : this.code(step)));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? '';
  }

  /** Signed in, with an authenticator; the clock moves on to the next code. */
  async withTotp(): Promise<this> {
    await this.signIn();
    this.secret = (await this.call('POST', '/me/mfa/totp')).json.data.secret;
    const confirmed = await this.call('POST', '/me/mfa/totp/confirm', { code: this.code() });
    if (confirmed.status !== 200) throw new Error(confirmed.text);
    this.recoveryCodes = confirmed.json.data.recovery_codes;
    this.test.clock.advance(60);
    return this;
  }

  /** Signed in, with codes by mail. */
  async withEmail(): Promise<this> {
    await this.signIn();
    await this.call('POST', '/me/mfa/email');
    const confirmed = await this.call('POST', '/me/mfa/email/confirm', { code: await this.mailedCode() });
    if (confirmed.status !== 200) throw new Error(confirmed.text);
    this.recoveryCodes = confirmed.json.data.recovery_codes;
    this.test.clock.advance(60);
    return this;
  }

  /** The newest code that was mailed. */
  async mailedCode(): Promise<string> {
    const mails = await this.test.box.take(this.test, this.account.email);
    const codes = mails.map(({ subject }) => /\b\d{6}\b/.exec(subject)?.[0]).filter((code) => code !== undefined);
    return codes.at(-1) ?? '';
  }

  /** Through both steps. */
  async passBoth(): Promise<void> {
    const { json, status, text } = await this.verify(await this.challenge(), this.code());
    if (status !== 200) throw new Error(text);
    [this.access, this.refreshToken] = [json.data.access_token, json.data.refresh_token];
  }
}

export const isIn = async (person: Person, token = person.access): Promise<boolean> =>
  (await person.call('GET', '/me', undefined, token)).status === 200;
