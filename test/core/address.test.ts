import { isIPv6 } from 'node:net';
import { limitedNetworkOf } from '../../src/domain/auth/index.js';
import { unmapAddress } from '../../src/core/index.js';

describe('the network that limits count by', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['::FFFF:0102:0304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:102:304', '1.2.3.4'],
    ['::ffff:102:304%eth0', '1.2.3.4'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:DB8:0:1:ffff::', '2001:db8:0:1::/64'],
    ['2001:db8::1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1.2.3.4', '2001:db8:0:1::/64'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4::/64'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:0:102:304', '0:0:0:0::/64'],
    ['', 'local'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(limitedNetworkOf(address)).toBe(network);
  });

  it('an address of IPv6 stays as it was written', () => {
    expect(unmapAddress('2001:DB8::1')).toBe('2001:DB8::1');
    expect(unmapAddress('not an address')).toBe('not an address');
  });

  it('takes whatever the operating system knows as an address', () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const piece = (): string => ['0', 'ffff', 'FFFF', '1', 'db8', '::', '1.2.3.4', '255.0.0.1'][next(8)] ?? '';
    let taken = 0;
    for (let round = 0; round < 50_000; round += 1) {
      const address = Array.from({ length: 1 + next(8) }, piece)
        .join(':')
        .replaceAll(/:{3,}/g, '::');
      if (!isIPv6(address)) continue;
      taken += 1;
      expect(limitedNetworkOf(address)).toMatch(/^(?:\d+\.\d+\.\d+\.\d+|(?:[0-9a-f]{1,4}:){4}:\/64)$/);
    }
    expect(taken).toBeGreaterThan(500);
  });
});
