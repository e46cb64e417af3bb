import decodeQR from 'qr/decode.js';
import { describeTotp, newTotpSecret } from '../../../src/modules/mfa/totp.js';

/** Pixels of a module, enough for a decoder made for cameras. */
const SCALE = 4;

/** What a camera sees of a picture whose modules are paths of one unit. */
function photograph(svg: string) {
  const width = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]) * SCALE;
  const data = new Uint8Array(width * width * 3).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+),(\d+)h1v1h-1z/g)) {
    for (let row = 0; row < SCALE; row += 1) {
      const start = ((Number(y) * SCALE + row) * width + Number(x) * SCALE) * 3;
      data.fill(0, start, start + SCALE * 3);
    }
  }
  return { width, height: width, data };
}

describe('the picture of a new authenticator', () => {
  it.each([
    ['Portal', 'ada@example.com'],
    ['Bank of Portals – Entwickler & Partner', `${'a'.repeat(64)}@${'long-domain.'.repeat(15)}example`],
    ['開発者ポータル', 'o\'brien+"test"@example.com'],
  ])('says its address to a scanner: %s', (issuer, label) => {
    const { uri, secret, qrSvg } = describeTotp(newTotpSecret(), issuer, label);
    expect(uri).toContain(`secret=${secret}`);
    expect(decodeQR(photograph(qrSvg), { timeLimit: 5_000 })).toBe(uri);
    expect(qrSvg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+">/);
    expect(qrSvg).not.toMatch(/style=|<style|<script|on\w+=/);
  });
});
