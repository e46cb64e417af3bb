import { Joi, timestampReply, tokenPairReply } from '../../index.js';
import { FACTOR_TYPES, type FactorType, type ProofType } from './factor.js';

/** Tokens have 43 characters; much longer input is refused unread. */
const challengeToken = Joi.string()
  .max(200)
  .required()
  .example('v7sK0mX2…')
  .description('Of the answer 202 of the login.');
/** Accepts the spaces and dashes that people type. */
const code = Joi.string().max(64).required().example('123456');

export const challengeBody = Joi.object<{ challenge_token: string }>({ challenge_token: challengeToken }).label(
  'MfaChallengeInput',
);

export interface VerifyBody {
  challenge_token: string;
  code: string;
  factor?: ProofType;
}

export const verifyBody = Joi.object<VerifyBody>({
  challenge_token: challengeToken,
  code,
  factor: Joi.string()
    .valid(...FACTOR_TYPES, 'recovery_code')
    .description('What the code is of; told by its form when left out.'),
}).label('MfaVerificationInput');

export const enrolBody = Joi.object<{ challenge_token: string; code: string }>({
  challenge_token: challengeToken,
  code,
}).label('MfaEnrolmentInput');

export const codeBody = Joi.object<{ code: string }>({ code }).label('MfaCodeInput');

export const factorParams = Joi.object<{ factor: FactorType }>({
  factor: Joi.string()
    .valid(...FACTOR_TYPES)
    .required(),
});

const factorName = Joi.string()
  .valid(...FACTOR_TYPES)
  .required();

export const mfaReply = Joi.object({
  enabled: Joi.boolean().required().description('A factor is asked for at every login.'),
  required: Joi.boolean().required().description('The last factor cannot be removed.'),
  factors: Joi.array()
    .items(Joi.object({ type: factorName, confirmed_at: timestampReply.required() }).label('MfaFactor'))
    .required(),
  recovery_codes_left: Joi.number().integer().required().example(10),
}).label('Mfa');

export const totpReply = Joi.object({
  secret: Joi.string().required().example('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP').description('For typing; Base32.'),
  otpauth_uri: Joi.string().required().example('otpauth://totp/Portal:ada%40example.com?secret=…'),
  qr_svg: Joi.string().required().example('<svg …').description('The same as a picture.'),
}).label('TotpSetup');

const recoveryCodes = Joi.array()
  .items(Joi.string().example('7K2M-Q9TX-4HWD'))
  .allow(null)
  .required()
  .description('Each good once, never shown again; null when the account has its codes already.');

export const confirmedReply = Joi.object({ recovery_codes: recoveryCodes }).label('MfaConfirmation');
export const recoveryCodesReply = Joi.object({ recovery_codes: recoveryCodes }).label('RecoveryCodes');
export const enrolledReply = tokenPairReply.append({ recovery_codes: recoveryCodes }).label('MfaEnrolment');
