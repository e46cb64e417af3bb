import { generateSecret, generateURI, verifySync } from 'otplib';
import { renderSVG } from 'uqr';

/** RFC 6238 with the parameters that all authenticator apps support: SHA-1, 6 digits, 30 seconds; tolerates one step (S74). */
const PERIOD = 30;
const CODE = /^\d{6}$/;

export interface TotpSetup {
  /** Base32, 160 bits. */
  readonly secret: string;
  /** `otpauth://…`, the content of the QR code. */
  readonly uri: string;
  /** Without styles and scripts, to satisfy the strictest CSP. */
  readonly qrSvg: string;
}

export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

export function describeTotp(secret: string, issuer: string, label: string): TotpSetup {
  const uri = generateURI({ issuer, label, secret });
  return { secret, uri, qrSvg: renderSVG(uri, { border: 2, ecc: 'M', pixelSize: 1 }) };
}

/** The time step of a code; null for a code outside the tolerance. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  if (!CODE.test(code)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: PERIOD });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
