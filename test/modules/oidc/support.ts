import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuth2Issuer, OAuth2Service, type MutableResponse, type MutableToken } from 'oauth2-mock-server';
import { oidc, type ProviderInput } from '../../../src/modules/oidc/index.js';
import type { Answer } from '../../support/http-client.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../../support/test-portal.js';

export const CLIENT = { clientId: 'portal', clientSecret: 'a secret of the portal and the provider' };

const DISCOVERY = '/.well-known/openid-configuration';

/** A provider on loopback that does what a test tells it to. */
export class HostileIdp {
  /** Claims of the next ID tokens, over those of a good one; undefined takes one away. */
  claims: Record<string, unknown> = {};
  header: Record<string, unknown> = {};
  userinfo: Record<string, unknown> | undefined;
  /** Changes the answer of the token endpoint. */
  respond: (response: MutableResponse) => void = () => undefined;
  /** Changes the address that leads back. */
  lead: (url: URL) => void = () => undefined;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  mode: 'works' | 'hangs' | 'fails' = 'works';
  /** What discovery says, over that of a good provider; null leaves discovery alone. */
  metadata: Record<string, unknown> | null = null;
  /** A path whose answer never ends, and how much of it was taken off our hands. */
  endless: string | null = null;
  sent = 0;

  private constructor(
    readonly issuer: OAuth2Issuer,
    readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<HostileIdp> {
    const issuer = new OAuth2Issuer();
    await issuer.keys.generate('RS256', { kid: 'good' });
    const service = new OAuth2Service(issuer);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const made = new HostileIdp(issuer, issuer.url, async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
    server.on('request', (request, response) => {
      const [path = ''] = request.url?.split('?', 1) ?? [];
      made.asked.push(path);
      if (made.mode === 'hangs') return;
      if (path === made.endless) made.pour(response);
      else if (path === DISCOVERY && made.metadata) response.end(JSON.stringify(made.described()));
      else if (made.mode === 'fails') response.writeHead(500).end('{}');
      else service.requestHandler(request, response);
    });
    service.on('beforeTokenSigning', ({ header, payload }: MutableToken) => {
      Object.assign(header, made.header);
      Object.assign(payload, made.claims);
      for (const [name, value] of Object.entries(made.claims)) if (value === undefined) delete payload[name];
    });
    service.on('beforeResponse', (response: MutableResponse) => made.respond(response));
    service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => made.lead(url));
    service.on('beforeUserinfo', (response: MutableResponse) => {
      response.body = made.userinfo ?? { sub: made.claims.sub };
    });
    return made;
  }

  /** As good as new. */
  behave(claims: Record<string, unknown> = {}): void {
    Object.assign(this, { claims, header: {}, userinfo: undefined, mode: 'works' });
    Object.assign(this, { metadata: null, endless: null, sent: 0 });
    this.respond = () => undefined;
    this.lead = () => undefined;
    this.asked.length = 0;
  }

  private described() {
    const { url } = this;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...this.metadata,
    };
  }

  private pour(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const more = () => {
      while (!response.destroyed) {
        this.sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  }
}

export interface OidcPortal extends TestPortal {
  readonly box: Mailbox;
}

export async function startOidcPortal(
  providers: Record<string, Partial<ProviderInput>>,
  { config, extensions, oidcTimeout = 30, ...extra }: TestPortalOptions & { oidcTimeout?: number } = {},
): Promise<OidcPortal> {
  const box = new Mailbox();
  const whole = Object.entries(providers).map(([name, input]) => [name, { ...CLIENT, ...input }]);
  const limits = { ip: { requests: { max: 10_000 }, failingAccounts: { max: 10_000 } } };
  const given = { limits, ...config, oidc: { timeout: oidcTimeout, providers: Object.fromEntries(whole) as unknown } };
  const test = await startTestPortal({
    ...extra,
    config: given,
    extensions: { mailer: () => box, modules: [oidc], ...extensions },
  });
  return Object.assign(test, { box });
}

/** A client of the API on its way to a provider and back. */
export class ApiJourney {
  cookie = '';
  readonly prefix: string;

  constructor(
    private readonly test: TestPortal,
    private readonly options: { context?: 'admin'; provider?: string; token?: string } = {},
  ) {
    this.prefix = options.context === 'admin' ? '/api/v1/admin' : '/api/v1';
  }

  /** The address to send the browser to. */
  async begin(): Promise<URL> {
    const query = this.options.provider === undefined ? '' : `?provider=${this.options.provider}`;
    const answer = await this.test.client.get(`${this.prefix}/auth/oidc/redirect${query}`, this.auth());
    if (answer.status !== 200) throw new Error(answer.text);
    this.cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    return new URL((JSON.parse(answer.text) as { authorization_url: string }).authorization_url);
  }

  /** At the provider, which sends back at once. */
  async visit(url: URL): Promise<URL> {
    const answer = await fetch(url, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '');
  }

  finish(back: URL, changes: Record<string, unknown> = {}, cookie = this.cookie, query = ''): Promise<Answer> {
    const { code, state, iss } = Object.fromEntries(back.searchParams);
    const body = { code, state, ...(iss === undefined ? {} : { iss }), ...changes };
    return this.test.client.post(`${this.prefix}/auth/oidc/callback${query}`, body, {
      ...this.auth(),
      headers: cookie === '' ? {} : { cookie },
    });
  }

  async whole(): Promise<Answer> {
    return this.finish(await this.visit(await this.begin()));
  }

  private auth() {
    return this.options.token === undefined ? {} : { token: this.options.token };
  }
}

export const isUser = (email: string, more: Record<string, unknown> = {}) => ({
  sub: `sub of ${email}`,
  email,
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  ...more,
});

/** An ID token that somebody made who has no key of the provider. */
export function forged(idToken: string, header: Record<string, unknown>, secret?: string): string {
  const [, payload = ''] = idToken.split('.');
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  const signature =
    secret === undefined ? '' : createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
  return `${head}.${payload}.${signature}`;
}
