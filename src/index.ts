// The public API of portalkit. What is not exported here may change in any release.

// Configuration and start
export type { PortalConfig } from './config/index.js';
export { openPortal, type OpenPortalOptions } from './open-portal.js';
export {
  createPortal,
  defineConfig,
  type AuthorizerParts,
  type ApiGuardParts,
  type HostAuthFlowParts,
  type HostExtensions,
  type MailerParts,
  type Portal,
  type PortalDefinition,
  type PortalOptions,
  type PortalParts,
  definePortalModule,
  type ModuleCommand,
  type ModuleCommandContext,
  type ModuleContribution,
  type ModuleParts,
  type PortalModule,
  type SettingFault,
} from './portal.js';

/** Builders of settings: `option.text('', 'What it means.')`. */
export * as option from './core/option.js';
export type { OptionSection, OptionValues } from './core/option.js';
export type { Job } from './jobs/index.js';
export { removeExpired, type EncryptedColumn } from './database/index.js';

// Endpoints of a host
export { defineRoute, Joi, type PortalRoute } from './api/index.js';
export type { PortalServices } from './domain/services.js';
/** Parts of the portal's own endpoints, for those that answer alike. */
export {
  challengeReply,
  deviceHeader,
  emptyReply,
  idParam,
  presentTokenPair,
  timestampReply,
  tokenPairReply,
} from './api/index.js';
export {
  accepted,
  created,
  ok,
  OWN_ACCOUNT,
  paginated,
  RawReply,
  Reply,
  shared,
  SharedReply,
  StreamReply,
} from './http/index.js';

// Web pages of a host
export {
  challengePage,
  definePage,
  Download,
  field,
  listField,
  readOptionalField as optionalField,
  Redirect,
  requireFields,
  returnField,
  returnPath,
  View,
  type AccountLink,
  type Audience,
  type FormState,
  type LoginLink,
  type Page,
  type Visit,
} from './theme/index.js';

// Resources of the admin console
export {
  defineAdminResource,
  extendAdminResource,
  type Action as AdminAction,
  type AdminResource,
  type ResourceExtension,
} from './console/index.js';

// Tables of a host
export { column, defineList, defineMigration, UniqueViolationError, type Migration } from './database/index.js';
export type { Database, Lists, SqlValue, Transaction } from './database/index.js';
// What endpoints on the core services are made of
export { EmailTakenError, fullName, type AdminRecord, type UserRecord } from './domain/accounts/index.js';
export { AccountNotActiveError, maskKey as maskedKey, type Approver, type AppRecord } from './domain/apps/index.js';
export type { AppView, CredentialView } from './domain/apps/index.js';
export {
  categoryListOptions,
  productListOptions,
  viewerOf,
  type ProductRecord,
  type Viewer,
} from './domain/catalog/index.js';
export { mapPage, type ListOptions, type ListQuery } from './core/index.js';

// Contracts that a host may replace
export type { PasswordHasher, PasswordCheck } from './domain/accounts/index.js';
export {
  AuthFlow,
  maySignIn,
  TokenService,
  type AccessClaims,
  type AccountGate,
  type AccountRepository,
  type AccountRef,
  type AdminActor,
  type ApiGuard,
  type Admission,
  type AttemptLimits,
  type AuthAccount,
  type AuthContext,
  type AuthenticationOutcome,
  type AuthFlowInterface,
  type AuthFlowParts,
  type ConsumerActor,
  type Entrance,
  type GateRefusal,
  type LoginAnnouncement,
  type LoginChallenge,
  type LoginChallengeData,
  type LoginInput,
  type LoginOutcome,
  type LoginRefusal,
  type LoginStep,
  type RegistrationCandidate,
  type RegistrationVerdict,
  type SessionService,
  type StepUp,
  type TokenPair,
  type TokenServiceInterface,
  type TokenServiceParts,
} from './domain/auth/index.js';
export { MailRefusedError, type MailDraft, type Mailer, type MailMessage, type MailQueue } from './mail/index.js';
export { OutboundError, type OutboundAnswer, type OutboundFetcher, type OutboundRequest } from './outbound/index.js';
export type { AttemptRule, LimitStore } from './limits/index.js';
export type { ApiAuthorizer, GivenRole, PermissionSpec, RoleChoice } from './domain/rbac/index.js';
export {
  type AppAddress,
  type CreatedApp,
  type DeveloperAddress,
  type FoundApp,
  type FoundDeveloper,
  type FoundKey,
  type FoundTeam,
  type GatewayApp,
  type GatewayApps,
  type GatewayCapabilities,
  type GatewayContext,
  type GatewayDeveloper,
  type GatewayDevelopers,
  type GatewayDeveloperStatus,
  type GatewayDriver,
  type GatewayFactory,
  type CountedTraffic,
  type GatewayInventory,
  type GatewayStatistics,
  type GatewayKeyProducts,
  type GatewayKeys,
  type GatewayProduct,
  type GatewayProducts,
  type GatewayStatus,
  type InventoryPage,
  type IssuedKey,
  type KeyAddress,
  type KeyDecision,
  type KeyPair,
  type KeyProduct,
  type KeyVerifier,
  type NewKey,
  GatewayConflictError,
  GatewayError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
} from './gateway/index.js';

// Events, for `events.on` and `events.within`, with the errors of signing in
export {
  AdminCreatedEvent,
  AdminDeletedEvent,
  AdminUnlockedEvent,
  AdminUpdatedEvent,
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserReclaimedEvent,
  UserStatusChangedEvent,
  UserUnlockedEvent,
  UserUpdatedEvent,
} from './domain/accounts/index.js';
export {
  ApiTriedEvent,
  AppApprovedEvent,
  AppCreatedEvent,
  AppDeletedEvent,
  AppLimitsRaisedEvent,
  AppLimitsRestoredEvent,
  AppQuotaResetEvent,
  AppRevokedEvent,
  AppTransferEndedEvent,
  AppTransferOfferedEvent,
  AppTransferredEvent,
  AppTrialEndedEvent,
  AppTrialEndingEvent,
  AppUpdatedEvent,
  CredentialApprovedEvent,
  CredentialCreatedEvent,
  CredentialDeletedEvent,
  CredentialExpiringEvent,
  CredentialPlanChangedEvent,
  CredentialPlanRequestedEvent,
  CredentialPlanWithdrawnEvent,
  CredentialProductAddedEvent,
  CredentialProductApprovedEvent,
  CredentialProductRemovedEvent,
  CredentialProductRevokedEvent,
  CredentialRevealedEvent,
  CredentialRevokedEvent,
  CredentialRotatedEvent,
  GatewayImportFinishedEvent,
  KeysClosingEvent,
} from './domain/apps/index.js';
export { AppQuotaReachedEvent, AppUsageUnusualEvent } from './domain/usage/index.js';
export {
  AuthEvent,
  type AuthFact,
  EverybodySignedOutEvent,
  LoginAttemptedEvent,
  LoginFailedEvent,
  LoginSucceededEvent,
  RefreshTokenReusedEvent,
  type RevocationReason,
  SessionOpeningEvent,
  SessionRenewingEvent,
  SessionRevokedEvent,
  TokenIssuedEvent,
  TokenRefreshedEvent,
  TokenRevokedEvent,
  EmailNotVerifiedError,
  InvalidCredentialsError,
  ReauthenticationRequiredError,
  refusalError,
  RegistrationRefusedError,
  registrationRefusal,
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
  ChangeCreatedEvent,
  ChangeDeletedEvent,
  ChangePublishedEvent,
  ChangeUpdatedEvent,
  DeprecationAnnouncedEvent,
  DeprecationCreatedEvent,
  DeprecationDeletedEvent,
  DeprecationRetiredEvent,
  DeprecationSunsetReachedEvent,
  DeprecationUpdatedEvent,
  PlanCreatedEvent,
  PlanDeletedEvent,
  PlanUpdatedEvent,
  PlanVersionActivatedEvent,
  PlanVersionCreatedEvent,
  PlanVersionUpdatedEvent,
  ProductCreatedEvent,
  ProductDeletedEvent,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
  ProductVersionCreatedEvent,
  ProductVersionDeletedEvent,
  ProductVersionUpdatedEvent,
} from './domain/catalog/index.js';
export {
  BannerCreatedEvent,
  BannerDeletedEvent,
  BannerUpdatedEvent,
  GuideCreatedEvent,
  GuideDeletedEvent,
  GuidePublishedEvent,
  GuideUpdatedEvent,
} from './domain/content/index.js';
export {
  AdminRolesChangedEvent,
  PermissionCreatedEvent,
  PermissionDeletedEvent,
  PermissionUpdatedEvent,
  RoleCreatedEvent,
  RoleDeletedEvent,
  RoleUpdatedEvent,
  ServiceTokenCreatedEvent,
  ServiceTokenRevokedEvent,
  ServiceTokenRotatedEvent,
} from './domain/rbac/index.js';
export { AppChangeAnnouncedEvent, MailResentEvent } from './domain/notifications/index.js';
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
export {
  TeamCodeCreatedEvent,
  TeamCodeRevokedEvent,
  TeamCodeUsedEvent,
  TeamCreatedEvent,
  TeamDeletedEvent,
  TeamDomainsChangedEvent,
  TeamInvitationEndedEvent,
  TeamInvitationSentEvent,
  TeamJoinAnsweredEvent,
  TeamJoinAskedEvent,
  TeamMemberJoinedEvent,
  TeamMemberLeftEvent,
  TeamMemberRoleChangedEvent,
  TeamUpdatedEvent,
} from './domain/teams/index.js';
export {
  WebhookCreatedEvent,
  WebhookDeletedEvent,
  WebhookDisabledEvent,
  WebhookResentEvent,
  WebhookSecretRotatedEvent,
  WebhookUpdatedEvent,
  WebhookVerifiedEvent,
} from './domain/webhooks/index.js';
export {
  BulkJobEndedEvent,
  BulkJobStartedEvent,
  ManagedRecordsChangedEvent,
  SavedViewCreatedEvent,
  SavedViewDeletedEvent,
  SavedViewUpdatedEvent,
  UserViewEndedEvent,
  UserViewStartedEvent,
} from './domain/console/index.js';

// Errors, and what services are made of
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
  addSeconds,
  latestEnd,
  deriveKey,
  foreignError,
  PortalEvent,
  type Background,
  type Changes,
  type Clock,
  type Encrypter,
  type EventActivity,
  type EventBus,
  type EventSubject,
  type Logger,
  type RequestInfo,
} from './core/index.js';
export { runAs, runAsOperator, currentActorContext, type ActorContext, type ActingPerson } from './core/index.js';
