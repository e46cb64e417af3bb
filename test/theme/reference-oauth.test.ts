import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import {
  OAuth2Issuer,
  OAuth2Service,
  type MutableRedirectUri,
  type MutableResponse,
  type MutableToken,
} from 'oauth2-mock-server';
import { openVisitor, startBrowser, type Visitor } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { HARBOUR } from '../support/documents.js';
import { EchoApi } from '../support/echo-api.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let browser: Browser;
let api: EchoApi;
let server: Server;
let origin: string;
/** Changes where people are led back to, and what the next tokens say. */
let lead: (url: URL) => void = () => undefined;
let claims: Record<string, unknown> = {};
/** How long tokens last, in seconds; null for as the server has it. */
let lasting: number | null = null;
/** What was asked of the place of tokens. */
let grants: string[] = [];
/** Where people came to sign in. */
let askedAt = '';
let count = 0;

describeWith('chromium', 'tokens in the reference', () => {
  beforeAll(async () => {
    api = await EchoApi.start();
    await startServer();
    test = await startTestPortal({ config: { catalog: { tryItOrigins: [api.origin, origin] } } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
    await api?.close();
    server?.closeAllConnections();
    server?.close();
  });
  beforeEach(() => {
    lead = () => undefined;
    claims = {};
    lasting = null;
    grants = [];
  });

  it('come by a code with PKCE from a window of the server, and go to the API', async () => {
    const { page, ...visitor } = await openReference('code', flows());
    await page.click('summary:text-is("Get a token")');
    expect(await page.locator('.reference-scopes code').allTextContents()).toEqual([
      ...['openid', 'berths:read', 'berths:write'],
    ]);
    const popup = visitor.context.waitForEvent('page');
    await ask(page, 'Sign in at the API');
    const window = await popup;
    await page.waitForSelector('text=The token is filled in. It lasts about 60 minutes.');
    if (!window.isClosed()) await window.waitForEvent('close');
    await page.click('button:text-is("Send")');
    await page.waitForSelector('.reference-answer .badge');
    const [type, token] = String(api.calls.at(-1)?.headers.authorization).split(' ');
    expect([type, token?.slice(0, 2)]).toEqual(['Bearer', 'ey']);
    const asked = new URL(askedAt, origin).searchParams;
    expect([asked.get('scope'), asked.get('code_challenge_method')]).toEqual(['openid berths:read', 'S256']);
    expect(asked.get('redirect_uri')).toBe(`${test.client.url}/portal/oauth/callback`);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).not.toContain(token);
    const isOurs = (fault: string) => [api.origin, origin].some((one) => fault.includes(one));
    expect(visitor.faults.filter((fault) => !isOurs(fault))).toEqual([]);
    await visitor.context.close();
  });

  it.each([
    ['of another request, by its nonce', () => (claims = { nonce: 'other' }), 'belongs to another request'],
    ['that the server does not give', () => (lead = (url) => refuse(url)), 'The server gave no token. access_denied'],
    [
      'for a code of somebody else',
      () => (lead = (url) => url.searchParams.set('code', 'x')),
      'The server gave no token.',
    ],
  ])('are not filled in: one %s', async (_what, prepare, said) => {
    prepare();
    const { page, context } = await openReference('refused', flows());
    await ask(page, 'Sign in at the API');
    await page.waitForSelector(`text=${said}`);
    expect(await page.inputValue('input[data-scheme="token"]')).toBe('');
    await context.close();
  });

  it('are not taken from an answer that nobody asked for', async () => {
    lead = (url) => url.searchParams.set('state', 'another');
    const { page, context } = await openReference('forged', flows());
    const popup = context.waitForEvent('page');
    await ask(page, 'Sign in at the API');
    const window = await popup;
    await window.waitForSelector('text=You can close this window');
    // The address holds neither code nor state by now.
    expect(new URL(window.url()).search).toBe('');
    await window.goto('/portal/oauth/callback?code=stolen&state=guess');
    expect(await page.textContent('.reference-try [role="status"]:has-text("Waiting")')).toContain('Waiting');
    await context.close();
  });

  it('come for the client itself, with a word of warning', async () => {
    const clientCredentials = { tokenUrl: `${origin}/token`, scopes: {} };
    const { page, context } = await openReference('client', { clientCredentials });
    await page.click('summary:text-is("Get a token")');
    expect(await page.textContent('.reference-try')).toContain('a browser is no place for secrets of production');
    await page.fill('.reference-try input[type="password"] >> nth=0', 'a secret: ü');
    await ask(page, 'Get a token');
    await page.waitForSelector('text=The token is filled in.');
    expect(await page.inputValue('input[data-scheme="token"]')).toMatch(/^ey/);
    await context.close();
  });

  it('are not asked for at a script, or where the operator allows nothing', async () => {
    const script = { authorizationUrl: 'javascript:window.__xss=1//', tokenUrl: `${origin}/token`, scopes: {} };
    const first = await openReference('script', { authorizationCode: script });
    expect(await first.page.locator('summary:text-is("Get a token")').count()).toBe(0);
    await first.context.close();
    const far = { tokenUrl: 'https://far.example/token', scopes: {} };
    const { page, context } = await openReference('far', { clientCredentials: far });
    await page.waitForSelector('text=Tokens come from https://far.example');
    await context.close();
  });

  it('come by what an OpenID provider says of itself, read when somebody asks for one', async () => {
    const scheme = { type: 'openIdConnect', openIdConnectUrl: `${origin}/.well-known/openid-configuration` };
    const { page, context } = await openReference('openid', scheme);
    await page.click('summary:text-is("Get a token")');
    await page.waitForSelector('.reference-scopes');
    expect(await page.locator('.reference-try details select >> nth=0').locator('option').allTextContents()).toEqual([
      ...['Sign in (authorization code)', 'As an application (client credentials)'],
    ]);
    expect(await page.isChecked('.reference-scopes label:has-text("openid") input')).toBe(true);
    await ask(page, 'Sign in at the API');
    await page.waitForSelector('text=The token is filled in.');
    expect(await page.inputValue('input[data-scheme="token"]')).toMatch(/^ey/);
    await context.close();
  });

  it('are not asked of a provider that speaks for another issuer, nor of one that says nothing', async () => {
    for (const [path, said] of [
      ['/other', 'The configuration belongs to another issuer'],
      ['/nothing', 'No configuration of OpenID Connect stands at'],
    ]) {
      const openIdConnectUrl = `${origin}${path}/.well-known/openid-configuration`;
      const { page, context } = await openReference('strange', { type: 'openIdConnect', openIdConnectUrl });
      await page.click('summary:text-is("Get a token")');
      await page.waitForSelector(`text=${said}`);
      await context.close();
    }
    expect(grants).toEqual([]);
  });

  it('that have ended are renewed before the next request is sent', async () => {
    lasting = 20;
    const { page, context } = await openReference('ended', flows());
    await ask(page, 'Sign in at the API');
    await page.waitForSelector('text=The token is filled in.');
    lasting = 3600;
    await page.click('button:text-is("Send")');
    await page.waitForSelector('text=The token had ended and was renewed. It lasts about 60 minutes.');
    await page.waitForSelector('.reference-answer .badge');
    expect(String(api.calls.at(-1)?.headers.authorization)).toBe(
      `Bearer ${await page.inputValue('input[data-scheme="token"]')}`,
    );
    await page.click('button:text-is("Send")');
    await page.waitForSelector('.reference-answer .badge');
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    await context.close();
  });

  it.each([
    ['implicit', 'the implicit flow'],
    ['password', 'the password of a person'],
  ])('are not asked for by the flow "%s", which no page should run', async (flow, text) => {
    const one = { authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token`, scopes: {} };
    const { page, context } = await openReference(flow, { [flow]: one });
    expect(await page.locator('summary:text-is("Get a token")').count()).toBe(0);
    expect(await page.textContent('.reference-try')).toContain(`This API gives tokens by ${text}`);
    await context.close();
  });
});

const flows = () => ({
  authorizationCode: {
    ...{ authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token` },
    scopes: { openid: 'Who', 'berths:read': 'Read', 'berths:write': 'Write' },
  },
});

async function startServer(): Promise<void> {
  const issuer = new OAuth2Issuer();
  await issuer.keys.generate('RS256');
  const service = new OAuth2Service(issuer);
  service.on('beforeAuthorizeRedirect', ({ url }: MutableRedirectUri) => lead(url));
  service.on('beforeResponse', (answer: MutableResponse, request) => {
    grants.push(String((request as unknown as { body: { grant_type: string } }).body.grant_type));
    if (lasting !== null && answer.body !== '') answer.body.expires_in = lasting;
  });
  service.on('beforeTokenSigning', ({ payload }: MutableToken) => Object.assign(payload, claims));
  server = createServer((request, response) => {
    if (request.url?.startsWith('/authorize')) askedAt = request.url;
    if (request.url?.startsWith('/other')) return answerForOthers(response);
    void service.requestHandler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer.url = origin;
}

/** As a provider does that speaks for another issuer. */
function answerForOthers(response: ServerResponse): void {
  response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'application/json' });
  response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/token` }));
}

function refuse(url: URL): void {
  url.searchParams.delete('code');
  url.searchParams.set('error', 'access_denied');
}

/** The form of an operation whose token comes by these flows. */
async function openReference(name: string, declared: object): Promise<Visitor> {
  count += 1;
  const slug = `${name}-${count}`;
  const scopes = 'authorizationCode' in declared ? ['openid', 'berths:read'] : [];
  const scheme = 'type' in declared ? declared : { type: 'oauth2', flows: declared };
  const document = {
    ...HARBOUR,
    servers: [{ url: `${api.origin}/v2` }],
    security: [{ token: scopes }],
    components: { ...HARBOUR.components, securitySchemes: { token: scheme } },
  };
  await createProduct(test, { slug, name: slug }, document);
  const visitor = await openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce' });
  await visitor.page.goto(`/portal/products/${slug}/spec#op-listBerths`);
  await visitor.page.click('.reference-open');
  return visitor;
}

async function ask(page: Page, text: string): Promise<void> {
  const summary = page.locator('summary:text-is("Get a token")');
  if (!(await page.isVisible('.reference-try fieldset, .reference-try [type="password"]:not([data-scheme])')))
    await summary.click();
  await page.fill('.reference-try details input[type="text"]', 'a client');
  await page.click(`.reference-try button:text-is("${text}")`);
}
