export type { KeyDecision, KeyVerifier } from '../../gateway/index.js';
export type { AppRecord } from './app.js';
export { APP_NAME, APP_TEXT_MAX, RESERVED_APP_NAMES, requireAppTexts } from './app-input.js';
export type { NewApp } from './app-creation.js';
export { appDirectoryOptions, type AppDirectory, type AppOwner, type OwnedAppView } from './app-directory.js';
export { appList } from './app-list.js';
export type { OwnedApp, OwnedCredential, OwnedGrant } from './app-reader.js';
export type { AppProfile, AppService } from './app-service.js';
export { createAppServices, type AppServices, type AppServicesParts } from './app-services.js';
export type { AppView } from './app-views.js';
export { APPROVAL_STATUSES, type Approver, type ApprovalStatus, type Initiator } from './approval.js';
export type { AttachableProduct, ProductAccess } from './contracts.js';
export { maskedKey, type CredentialStatus } from './credential.js';
export { credentialList } from './credential-list.js';
export type { CredentialRotation, RotationInput } from './credential-rotation.js';
export type { CredentialService, NewCredential } from './credential-service.js';
export type { AppProduct, CredentialView } from './credential-views.js';
export { AccountNotActiveError } from './errors.js';
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
} from './events.js';
export type { GrantRecord } from './grant.js';
export type { GrantService } from './grant-service.js';
export type { ImportEntry, ImportReport } from './import/import-report.js';
export type { Drift } from './sync/drift.js';
export type { SyncReport } from './sync/gateway-sync.js';
