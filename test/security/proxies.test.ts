import { createUser, PASSWORD } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LOGIN = '/api/v1/auth/login';
const LIMITED = { ip: { requests: { max: 3 } } };

let test: TestPortal;
const start = async (trustProxy: number) => {
  test = await startTestPortal({ config: { app: { trustProxy }, limits: LIMITED } });
};
afterEach(() => test.stop());

const from = (forwarded: string, more: Record<string, string> = {}) =>
  test.client.post(LOGIN, {}, { headers: { 'x-forwarded-for': forwarded, ...more } });
const limitedAmong = async (addresses: readonly string[]): Promise<number> => {
  let limited = 0;
  for (const address of addresses) limited += (await from(address)).status === 429 ? 1 : 0;
  return limited;
};

/** The address that the portal wrote down for a sign-in. */
async function recordedFor(headers: Record<string, string>): Promise<string> {
  const { email, id } = await createUser(test);
  await test.client.post(LOGIN, { email, password: PASSWORD }, { headers });
  const sql = 'SELECT ip FROM portal_sessions WHERE account_id = ?';
  const [row] = await test.portal.database.select<{ ip: string }>(sql, [id]);
  return row?.ip ?? 'none';
}

describe('the address of a client (S17)', () => {
  it('is that of the socket when no proxy is trusted, whatever a hundred headers claim', async () => {
    await start(0);
    const claims = Array.from({ length: 100 }, (_, index) => `203.0.113.${index}`);
    expect(await limitedAmong(claims)).toBe(97);
    const more = { 'x-real-ip': '203.0.113.1', forwarded: 'for=203.0.113.1', 'cf-connecting-ip': '203.0.113.1' };
    expect((await from('203.0.113.1', { ...more, 'x-client-ip': '203.0.113.1' })).status).toBe(429);
    test.clock.advance(60);
    expect(await recordedFor({ 'x-forwarded-for': '203.0.113.1', ...more })).toBe('127.0.0.1');
  });

  it('is what the one trusted proxy saw: the last of the list, not what the client wrote before it', async () => {
    await start(1);
    const claims = Array.from({ length: 20 }, (_, index) => `203.0.113.${index}, 198.51.100.7`);
    expect(await limitedAmong(claims)).toBe(17);
    expect(await recordedFor({ 'x-forwarded-for': '203.0.113.1, 198.51.100.8' })).toBe('198.51.100.8');
  });

  it('is the second from the right behind two', async () => {
    await start(2);
    expect(await limitedAmong(['1.1.1.1, 198.51.100.7, 10.0.0.1', '2.2.2.2, 198.51.100.7, 10.0.0.2'])).toBe(0);
    expect(await recordedFor({ 'x-forwarded-for': '1.1.1.1, 198.51.100.8, 10.0.0.1' })).toBe('198.51.100.8');
  });

  it.each([
    ['with a port', ['198.51.100.7:1', '198.51.100.7:2', '198.51.100.7:65535', '198.51.100.7']],
    ['of IPv6 with a port', ['[2001:db8::1]:1', '[2001:db8::1]:2', '[2001:db8::1]', '2001:db8::1']],
    [
      'of one IPv6 network',
      ['2001:db8:0:1::1', '2001:DB8:0:1:ffff::', '2001:0db8:0000:0001::2', '[2001:db8:0:1::9]:1'],
    ],
    [
      'of IPv4 inside IPv6',
      ['::ffff:198.51.100.7', '::FFFF:c633:6407', '198.51.100.7', '[0:0:0:0:0:ffff:c633:6407]:1', '::ffff:C633:6407'],
    ],
    ['that is none', ['unknown', '_hidden', '', '198.51.100.999', 'a'.repeat(300), "'; DROP TABLE x; --"]],
  ])('%s counts as one client', async (_name, addresses) => {
    await start(1);
    expect(await limitedAmong(addresses)).toBe(addresses.length - 3);
  });

  it('of IPv4 in hexadecimal IPv6 shares nothing with another one, nor with loopback', async () => {
    await start(1);
    expect(await limitedAmong(['::ffff:102:304', '::ffff:102:305', '::1', '1.2.3.6'])).toBe(0);
    expect(await recordedFor({ 'x-forwarded-for': '::ffff:102:304' })).toBe('1.2.3.4');
  });

  it('that is none is that of the proxy', async () => {
    await start(1);
    expect(await recordedFor({ 'x-forwarded-for': '<script>' })).toBe('127.0.0.1');
  });
});
