// The public API of portalkit. What is not exported here may change in any release.

// Configuration and start
export { defineConfig, type PortalDefinition } from './config/index.js';
export { openPortal, type OpenPortalOptions } from './open-portal.js';
export { createPortal, type Portal, type PortalOptions, type PortalParts } from './portal.js';

// Endpoints of a host
export { defineRoute, Joi, type PortalRoute, type PortalServices } from './api/index.js';
export { accepted, created, ok, OWN_ACCOUNT, paginated, RawReply, Reply, StreamReply } from './http/index.js';

// Web pages of a host
export {
  definePage,
  Download,
  Redirect,
  View,
  type Audience,
  type FormState,
  type Page,
  type Visit,
} from './theme/index.js';

// Migrations of a host
export { column, defineMigration, type Migration } from './database/index.js';

// Contracts that a host may replace
export type { PasswordHasher, PasswordVerdict } from './domain/accounts/index.js';
export {
  AuthFlow,
  TokenService,
  type AccessClaims,
  type AdminActor,
  type AuthAccount,
  type AuthContext,
  type AuthenticationOutcome,
  type AuthFlowInterface,
  type AuthFlowParts,
  type ConsumerActor,
  type LoginInput,
  type LoginOutcome,
  type LoginStep,
  type TokenPair,
  type TokenServiceInterface,
  type TokenServiceParts,
} from './domain/auth/index.js';
export { MailRefusedError, type Mailer, type MailMessage } from './mail/index.js';
export type { ApiAuthorizer } from './domain/rbac/index.js';
export type {
  AppAddress,
  CreatedApp,
  DeveloperAddress,
  FoundApp,
  FoundDeveloper,
  FoundKey,
  GatewayApp,
  GatewayApps,
  GatewayCapabilities,
  GatewayContext,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
  GatewayDriver,
  GatewayFactory,
  GatewayInventory,
  GatewayKeyProducts,
  GatewayKeys,
  GatewayProduct,
  GatewayProducts,
  GatewayStatus,
  InventoryPage,
  IssuedKey,
  KeyAddress,
  KeyDecision,
  KeyPair,
  KeyProduct,
  KeyVerifier,
  NewKey,
} from './gateway/index.js';

// Events, for `events.on` and `events.within`
export {
  AdminCreatedEvent,
  AdminDeletedEvent,
  AdminUpdatedEvent,
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserStatusChangedEvent,
  UserUnlockedEvent,
  UserUpdatedEvent,
} from './domain/accounts/index.js';
export {
  AppApprovedEvent,
  AppCreatedEvent,
  AppDeletedEvent,
  AppRevokedEvent,
  AppUpdatedEvent,
  CredentialApprovedEvent,
  CredentialCreatedEvent,
  CredentialDeletedEvent,
  CredentialProductAddedEvent,
  CredentialProductApprovedEvent,
  CredentialProductRemovedEvent,
  CredentialProductRevokedEvent,
  CredentialRevealedEvent,
  CredentialRevokedEvent,
  CredentialRotatedEvent,
  GatewayImportFinishedEvent,
} from './domain/apps/index.js';
export {
  LoginAttemptedEvent,
  LoginFailedEvent,
  LoginSucceededEvent,
  RefreshTokenReusedEvent,
  SessionRevokedEvent,
  TokenIssuedEvent,
  TokenRefreshedEvent,
  TokenRevokedEvent,
} from './domain/auth/index.js';
export {
  AudienceCreatedEvent,
  AudienceDeletedEvent,
  AudienceMembersAddedEvent,
  AudienceMembersRemovedEvent,
  AudienceUpdatedEvent,
  CategoryCreatedEvent,
  CategoryDeletedEvent,
  CategoryUpdatedEvent,
  ProductCreatedEvent,
  ProductDeletedEvent,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
} from './domain/catalog/index.js';
export {
  AdminRolesChangedEvent,
  PermissionCreatedEvent,
  PermissionDeletedEvent,
  PermissionUpdatedEvent,
  RoleCreatedEvent,
  RoleDeletedEvent,
  RoleUpdatedEvent,
} from './domain/rbac/index.js';
export {
  MenuCreatedEvent,
  MenuDeletedEvent,
  MenuItemCreatedEvent,
  MenuItemDeletedEvent,
  MenuItemUpdatedEvent,
  MenuUpdatedEvent,
  SettingCreatedEvent,
  SettingDeletedEvent,
  SettingUpdatedEvent,
} from './domain/site/index.js';

// Errors
export { AccountNotActiveError } from './domain/apps/index.js';
export { EmailNotVerifiedError, InvalidCredentialsError, ReauthenticationRequiredError } from './domain/auth/index.js';
export {
  GatewayConflictError,
  GatewayError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
} from './gateway/index.js';
export {
  ConfigurationError,
  ConflictError,
  DeclarationError,
  ForbiddenError,
  MalformedRequestError,
  NotFoundError,
  PortalError,
  ServiceUnavailableError,
  TooManyAttemptsError,
  UnauthenticatedError,
  ValidationError,
} from './kernel/index.js';

export { actingAs, actingAsOperator, currentActing, type Acting, type ActingPerson } from './kernel/index.js';
export { PortalEvent, type Clock, type Logger, type RequestInfo } from './kernel/index.js';
