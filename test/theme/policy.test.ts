import { originOf } from '../../src/core/index.js';
import { pageHeaders } from '../../src/theme/layout/page-headers.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Addresses that parse, with hosts that are syntax in a policy. */
const HOSTILE = [
  'https://a.example;script-src/logo.png',
  "https://'unsafe-inline'/logo.png",
  'https://a.example,b.example/logo.png',
  'https://*/logo.png',
  'https://*.example/logo.png',
  'https://$a.example/logo.png',
  'mailto:someone@a.example',
];

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { app: { url: 'http://127.0.0.1' } } });
  const { settings } = test.portal.services.site;
  await settings.create({ key: 'theme.logo_url', value: '', type: 'string', isPublic: true });
});
afterAll(() => test.stop());

/** The sources of pictures of a page, and the address of its logo. */
async function pictures(path: string): Promise<{ sources: string; policy: string; html: string }> {
  const { headers, html } = await new PageClient(test.client).get(path);
  const policy = headers.get('content-security-policy') ?? '';
  return { sources: /img-src ([^;]*)/.exec(policy)?.[1] ?? '', policy, html };
}

// Past the service, as of a row that was stored before there was a rule.
async function setLogo(address: string): Promise<void> {
  await test.portal.database.execute("UPDATE portal_settings SET value = ? WHERE setting_key = 'theme.logo_url'", [
    address,
  ]);
  // The brand is kept for a second.
  test.clock.advance(2);
}

describe.each(['/portal', '/docs'])('the policy of %s', (path) => {
  it('allows the origin of the logo, and nothing beside it', async () => {
    await setLogo('https://cdn.example:8443/logo.png');
    const { sources, html } = await pictures(path);
    expect(sources).toBe("'self' data: https://cdn.example:8443");
    expect(html).toContain('src="https://cdn.example:8443/logo.png"');
  });

  it.each(HOSTILE)('cannot be written by the address of a logo: %s', async (address) => {
    await setLogo('/own.png');
    const { policy } = await pictures(path);
    await setLogo(address);
    const hostile = await pictures(path);
    expect(hostile.policy).toBe(policy);
    expect(hostile.html).not.toContain('logo.png');
  });
});

describe('the headers of a page', () => {
  it('leave out every source that is no plain origin, whoever gave it', () => {
    const good = ['https://a.example', 'http://127.0.0.1:3000', 'https://[::1]:8443', 'https://xn--4ca.example'];
    const bad = [
      'https://a.example; script-src *',
      'https://a.example;',
      "'unsafe-inline'",
      '*',
      'https:',
      'a.example',
    ];
    const { 'Content-Security-Policy': policy = '' } = pageHeaders([...bad, ...good], [...good, ...bad]);
    const list = good.join(' ');
    expect(policy).toContain(`img-src 'self' data: ${list}; connect-src 'self' ${list}; form-action`);
  });
});

describe('the origin of an address', () => {
  it('is none for what is no address of the web', () => {
    expect(['', 'x', '/x', 'javascript:alert(1)', 'data:,x', ...HOSTILE].map(originOf)).toEqual(
      Array.from({ length: 5 + HOSTILE.length }, () => null),
    );
    expect(originOf('https://USER@Ä.example:443/x')).toBe('https://xn--4ca.example');
  });
});
