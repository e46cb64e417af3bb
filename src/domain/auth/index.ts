export { AccessTokens, type AccessTokenSettings } from './access-tokens.js';
export { AccountDirectory, type StoredAccount } from './account-directory.js';
export { AccountLinks, type LinkPurpose } from './account-links.js';
export { AccountSecurity } from './account-security.js';
export { maySignIn, type AccountRef, type AdminAccount, type AuthAccount, type ConsumerAccount } from './account.js';
export { actingPerson, type AdminActor, type AuthContext, type ConsumerActor } from './actor.js';
export { AttemptLimits } from './attempt-limits.js';
export { AuthFlow, type AuthFlowParts } from './auth-flow.js';
export type {
  AccessClaims,
  AccountGate,
  AccountPages,
  AuthenticationOutcome,
  AuthFlowInterface,
  Entrance,
  GateRefusal,
  LoginChallenge,
  LoginExtensions,
  LoginInput,
  LoginOutcome,
  LoginRefusal,
  LoginStep,
  StepUp,
  TokenPair,
  TokenServiceInterface,
} from './contracts.js';
export { EmailConfirmation } from './email-confirmation.js';
export { EmailNotVerifiedError, InvalidCredentialsError, ReauthenticationRequiredError } from './errors.js';
export * from './events.js';
export { Guard } from './guard.js';
export { JwtKeys } from './jwt-keys.js';
export { endSessionsOnChange, unlockOnNewPassword } from './listeners.js';
export { networkOf } from './network.js';
export { PasswordReset, type RecoveryParts } from './password-reset.js';
export { RefreshTokenCodec } from './refresh-token-codec.js';
export { refusalError, registrationRefusal } from './refusal-error.js';
export { RegistrationService, type RegistrationInput, type RegistrationOutcome } from './registration-service.js';
export { RequestLimits } from './request-limits.js';
export type { SessionChannel } from './live-session.js';
export { SessionService, type SessionRecord } from './session-service.js';
export { TokenService, type TokenServiceParts } from './token-service.js';
