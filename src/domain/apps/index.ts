export type { KeyDecision, KeyVerifier } from '../../gateway/index.js';
export type { AppRecord } from './app/app.js';
export { APP_NAME, APP_TEXT_MAX, RESERVED_APP_NAMES, requireAppTexts } from './app/app-input.js';
export type { NewApp } from './app/app-creation.js';
export { appDirectoryOptions, type AppDirectory, type AppOwner, type OwnedAppView } from './app/app-directory.js';
export { appList, appRecord } from './app/app.js';
export type { OwnedApp, OwnedCredential, OwnedGrant } from './app/app-reader.js';
export type { AppProfile, AppService } from './app/app-service.js';
export type { AppTransfer } from './app/app-transfers.js';
export type { OwnedReset, QuotaResets, ResetView } from './app/quota-resets.js';
export type { AppLimits, NewOverride, OverrideView, OwnedOverride } from './app/app-limits.js';
export { createAppServices, type AppServices, type AppServicesParts } from './app-services.js';
export type { AppView } from './app/app-read-model.js';
export { findExpiringKeys, type ExpiringKey } from './app-queries.js';
export { APPROVAL_STATUSES, type Approver, type ApprovalStatus, type Initiator } from './app/approval.js';
export type { AttachableProduct, CountedCalls, PlanAccess, ProductAccess, ProductChoice } from './contracts.js';
export {
  credentialList,
  credentialRecord,
  credentialStatus,
  keyState,
  maskKey,
  productState,
  type CredentialStatus,
} from './credential/credential.js';
export { credentialDirectoryOptions, type OwnedCredentialView } from './credential/credential-directory.js';
export { grantRecord } from './credential/grant.js';
export type { CredentialRotation, RotationInput } from './credential/credential-rotation.js';
export type { CredentialService, NewCredential } from './credential/credential-service.js';
export type { AppProduct, CredentialView } from './credential/credential-read-model.js';
export { AccountNotActiveError } from './errors.js';
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
} from './events.js';
export type { GrantRecord } from './credential/grant.js';
export type { GrantService } from './credential/grant-service.js';
export type { ImportEntry, ImportReport } from './sync/import-report.js';
export type { Drift } from './sync/drift.js';
export type { GatewaySyncReport } from './sync/gateway-sync.js';
export { PLAN_TIMES, type PlanTime } from './credential/grant-plans.js';
export { selectWaiting, type WaitingKind, type WaitingThing } from './waiting-decisions.js';
export type { TriedCall } from './call-rules.js';
export { waitingOptions, type WaitingEntry, type WaitingQueue } from './waiting-queue.js';
