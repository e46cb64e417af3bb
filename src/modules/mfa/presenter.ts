import type { MfaState } from './factor.js';
import type { TotpSetup } from './totp.js';

export function presentMfa({ factors, required, recoveryCodesLeft }: MfaState) {
  return {
    enabled: factors.length > 0,
    required,
    factors: factors.map(({ type, confirmedAt }) => ({ type, confirmed_at: confirmedAt })),
    recovery_codes_left: recoveryCodesLeft,
  };
}

export function presentTotp({ secret, uri, qrSvg }: TotpSetup) {
  return { secret, otpauth_uri: uri, qr_svg: qrSvg };
}
