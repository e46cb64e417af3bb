import { generateSecret, generateURI, verifySync } from 'otplib';
import { renderSVG } from 'uqr';

/** RFC 6238 with what every authenticator app expects: SHA-1, 6 digits, 30 seconds; one step early or late (S74). */
const PERIOD = 30;
const CODE = /^\d{6}$/;

export interface TotpSetup {
  /** Base32, 160 bits. */
  readonly secret: string;
  /** `otpauth://…`, what the picture says. */
  readonly uri: string;
  /** A picture without style and script, good under the strictest CSP. */
  readonly qrSvg: string;
}

export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

export function describeTotp(secret: string, issuer: string, label: string): TotpSetup {
  const uri = generateURI({ issuer, label, secret });
  return { secret, uri, qrSvg: renderSVG(uri, { border: 2, ecc: 'M', pixelSize: 1 }) };
}

/** The time step that a code belongs to; null for a code of no step that is near enough. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  if (!CODE.test(code)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: PERIOD });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
