export type { AccessTokenSettings } from './tokens/access-tokens.js';
export { AccountRepository, type StoredAccount } from './account-repository.js';
export type { EmailTokenPurpose } from './email-tokens.js';
export { maySignIn, type AccountRef, type AdminAccount, type AuthAccount, type ConsumerAccount } from './account.js';
export { toActingPerson, type AdminActor, type AuthContext, type ConsumerActor, type SessionChannel } from './actor.js';
export { Admission } from './admission.js';
export { AttemptLimits } from './attempt-limits.js';
export { DEVICE_LIFETIME, KnownDevices } from './known-devices.js';
export { createAuthServices, type AuthBuilders, type AuthServices } from './auth-services.js';
export { AuthFlow, type AuthFlowParts } from './auth-flow.js';
export type { LoginAnnouncement } from './login-announcement.js';
export type {
  AccessClaims,
  AccountGate,
  AccountPages,
  AuthenticationOutcome,
  AuthFlowInterface,
  Entrance,
  GateRefusal,
  LoginChallenge,
  ApiGuard,
  LoginChallengeData,
  LoginExtensions,
  LoginInput,
  LoginOutcome,
  LoginRefusal,
  LoginStep,
  RegistrationCandidate,
  RegistrationVerdict,
  StepUp,
  TokenPair,
  TokenServiceInterface,
} from './contracts.js';
export {
  EmailNotVerifiedError,
  InvalidCredentialsError,
  ReauthenticationRequiredError,
  RegistrationRefusedError,
} from './errors.js';
export * from './events.js';
export { limitedNetworkOf } from './network.js';
export type { RecoveryParts } from './password-reset.js';
export { refusalError, registrationRefusal } from './refusal-error.js';
export type { RegistrationInput, RegistrationOutcome } from './registration-service.js';
export { RequestLimits } from './request-limits.js';
export type { SessionRecord } from './session.js';
export { SessionService } from './session-service.js';
export { TokenService, type TokenServiceParts } from './tokens/token-service.js';
