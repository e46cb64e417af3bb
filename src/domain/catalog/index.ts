export {
  AUDIENCE_NAMES,
  audienceList,
  audienceRecord,
  type AudienceInput,
  type AudienceRecord,
  type AudienceReference,
} from './audience.js';
export { MOST_SHOWN } from './audience-reader.js';
export type { CategoryInput, CategoryRecord, CategoryRow } from './category.js';
export {
  CHANGE_KINDS,
  changelogList,
  ENTRY_STATUSES,
  publishedList,
  type ChangeKind,
  type ChangelogEntryRow,
  type ChangelogInput,
  changelogEntryRecord,
  type PublishedEntry,
} from './changelog-entry.js';
export type { ChangelogService, OwnedEntry } from './changelog-service.js';
export {
  PRODUCT_VERSION_STATES,
  productVersionList,
  VERSION_NAME,
  type ProductVersion,
  type ProductVersionInput,
  type ProductVersionState,
} from './versions/product-version.js';
export {
  documentRevisionList,
  type DocumentNote,
  type DocumentRevision,
  type OperationDates,
} from './versions/document-revision.js';
export type { OwnedProductVersion } from './versions/product-version-service.js';
export type { GivenResult, PlannedUpload } from './versions/spec-uploads.js';
export type { DescribedChange } from './spec-change-writer.js';
export { createCatalogServices, type CatalogServices } from './catalog-services.js';
export { adminCategoryListOptions, categoryListOptions } from './category-list.js';
export type { CatalogParts } from './contracts.js';
export {
  CLOSINGS,
  DEPRECATION_STATES,
  deprecationList,
  deprecationRecord,
  OPERATION_METHODS,
  scopeText,
  type Brownout,
  type Deprecation,
  type OperationMethod,
} from './versions/deprecation.js';
export type { OwnedDeprecation } from './versions/deprecation-service.js';
export type { Lifecycle, LifecycleCall, LifecycleRefusal, Lifecycles } from './versions/lifecycles.js';
export type { DemoMenu, DemoMenuItem } from './demo-content.js';
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
} from './events.js';
export type { UserAudiences } from './user-audiences.js';
export { gatewayProductListOptions, type GatewayCatalogEntry } from './gateway-catalog.js';
export { replaceJoinRows, type JoinTable, type RecordReference } from './join-table.js';
export { PictureStore, type Picture } from './pictures.js';
export { PLAN_STATUSES, planList, type PlanInput, type PlanRecord, type PlanRow } from './plans/plan.js';
export {
  ENFORCEMENTS,
  planVersionList,
  VERSION_STATUSES,
  type Enforcement,
  type PlanLimits,
  type PlanVersion,
} from './plans/plan-version.js';
export type { OwnedVersion } from './plans/plan-version-service.js';
export { planVersionIds, readActivePlan, readPlanFacts, type PlanFacts } from './plans/plan-facts.js';
export { periodEnd, periodOf, type QuotaPeriod } from './plans/period.js';
export {
  isInForce,
  planOverrideList,
  planOverrideRecord,
  pickRaisedLimits,
  raiseLimits,
  readPlanOverrides,
  type PlanOverride,
  type RaisedLimits,
} from './plans/plan-override.js';
export {
  callsBetween,
  countStartOf,
  quotaResetList,
  quotaResetRecord,
  readCountStarts,
  type CallsByDay,
  type CountStart,
  type QuotaReset,
} from './plans/quota-reset.js';
export { beginTrial, planTrialRecord, type PlanTrial } from './plans/plan-trial.js';
export { findKeylessProduct, type KeylessProduct } from './plans/keyless-plan.js';
export { planText, readPlanText, type PlanTerms } from './plans/plan-text.js';
export type { ChosenPlan, PlanOffer, PlanWish } from './plans/product-offers.js';
export {
  APPROVALS,
  PRODUCT_APPROVALS,
  SLUG,
  VISIBILITIES,
  type AdminProductRecord,
  type Approval,
  type ProductCategory,
  type ProductApproval,
  type ProductDeprecation,
  type ProductRecord,
  type ViewedProduct,
  type Visibility,
  productRecord,
} from './products/product.js';
export type { ImportFault, ImportFile, ProductPlan } from './products/product-import.js';
export type { ProductInput, SpecSource } from './products/product-input.js';
export { adminProductListOptions, productListOptions } from './products/product-list.js';
export type { AttachableProductRecord, SpecRead } from './products/product-reader.js';
export { findProductName } from './products/product-relations.js';
export { ProductService } from './products/product-service.js';
export {
  callText,
  finderOf,
  type FindCalled,
  type NamedText,
  type StepRules,
  type Workflow,
  type WorkflowStep,
} from './openapi/workflows.js';
export type { StoredSpec } from './openapi/stored-spec.js';
export type { DemoMenus, DemoReport } from './seed.js';
export type { OutlineOperation, SpecOutline } from './openapi/build-index.js';
export type { CallProof, FirstCall } from './openapi/first-call.js';
export type { DocumentIndex } from './openapi/document-index.js';
export { DocumentIndexes, type SpecFacts, type WrittenPage } from './openapi/index-cache.js';
export type { IndexedScheme } from './openapi/security.js';
export type { IndexedServer } from './openapi/servers.js';
export { closeFences, codeSpan, escapeMarkdown, fenceCode } from './openapi/written/write-markdown.js';
export { marksOf } from './openapi/written/operation-blocks.js';
export type { WrittenOrder } from './openapi/written/write-reference.js';
export type { SpecUpload } from './openapi/spec-reader.js';
/** @internal */
export { SpecWorkers } from './openapi/spec-workers.js';
export {
  changeTranslations,
  readTranslations,
  replaceTranslations,
  translate,
  type TranslatedRows,
  type Translation,
  type Translations,
} from './translation.js';
/** @internal */
export { ANONYMOUS } from './visibility.js';
export { ADMIN, forAgents, seesProduct, viewerOf, selectVisibleProducts, type Viewer } from './visibility.js';
export { SpecComparer } from './openapi/diff/spec-comparer.js';
export type { SpecDiff } from './openapi/diff/diff-documents.js';
export type { ChangeLevel } from './openapi/diff/effects.js';
export { describeSpecChange, type SpecChange } from './openapi/diff/spec-change.js';
export { isStoredSdl } from './openapi/sdl.js';
export { readRunnable } from './openapi/read-runnable.js';
export type {
  Criterion,
  RunnableDocument,
  RunnableOperation,
  RunnableStep,
  RunnableWorkflow,
  StepAction,
} from './openapi/runnable.js';
