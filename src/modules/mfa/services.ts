import type { AccountRef, ModuleParts } from '../../index.js';
import { Challenges } from './challenges.js';
import { CodeCheck } from './code-check.js';
import type { mfaOptions } from './options.js';
import { Enrolment } from './enrolment.js';
import { Factors } from './factors.js';
import { MfaMails } from './mfa-mails.js';
import { RecoveryCodes } from './recovery-codes.js';

export type MfaParts = ModuleParts<typeof mfaOptions>;

export function createMfaServices(parts: MfaParts) {
  const { services, config, options, address, mail, keys } = parts;
  const { attempts, sessions } = services.auth;
  const isRequired = ({ context }: AccountRef) =>
    (context === 'admin' ? options.admins : options.developers) === 'required';
  const factors = new Factors(parts);
  const recovery = new RecoveryCodes({ ...parts, attempts });
  const challenges = new Challenges({ ...parts, keys: keys('mfa-codes') });
  const codes = new CodeCheck({ ...parts, factors, recovery, challenges, attempts });
  const settingsPage = ({ context }: AccountRef) => (context === 'admin' ? null : address.page('/settings/mfa'));
  const mails = new MfaMails({ mail, settingsPage, defaultLocale: config.theme.locale });
  const issuer = options.issuer === '' ? config.app.name : options.issuer;
  const enrolment = new Enrolment({
    ...{ ...parts, factors, recovery, challenges, codes, mails, sessions, isRequired },
    // A colon ends the issuer in an `otpauth:` URI.
    issuer: issuer.replaceAll(':', ' '),
  });
  return { factors, challenges, codes, mails, enrolment, isRequired };
}
