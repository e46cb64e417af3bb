export { audienceList, type AudienceInput, type AudienceRecord, type AudienceReference } from './audiences/audience.js';
export { MOST_SHOWN } from './audiences/audience-reader.js';
export { AudienceService } from './audiences/audience-service.js';
export type { CategoryInput, CategoryRecord, CategoryRow } from './categories/category.js';
export { adminCategoryListOptions, categoryListOptions } from './categories/category-list.js';
export { CategoryService } from './categories/category-service.js';
export type { CatalogParts } from './contracts.js';
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
  ProductCreatedEvent,
  ProductDeletedEvent,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
} from './events.js';
export { GatewayCatalog, gatewayProductListOptions, type GatewayCatalogEntry } from './gateway-catalog.js';
export type { Reference } from './links.js';
export { PictureStore, type Picture } from './pictures.js';
export {
  APPROVALS,
  SLUG,
  VISIBILITIES,
  type AdminProductRecord,
  type Approval,
  type CategoryLink,
  type ProductRecord,
  type Visibility,
} from './products/product.js';
export { ProductImport, type ProductPlan } from './products/product-import.js';
export type { ProductInput, SpecSource } from './products/product-input.js';
export { adminProductListOptions, productListOptions } from './products/product-list.js';
export type { AttachableProduct, SpecRead } from './products/product-reader.js';
export { ProductService } from './products/product-service.js';
export type { StoredSpec } from './spec/read-spec.js';
export { DemoSeeder, type DemoMenus, type DemoReport } from './seed.js';
export type { OutlineOperation, SpecOutline } from './spec/digest/build-digest.js';
export type { CallProof, FirstCall } from './spec/digest/first-call.js';
export type { SpecDigest } from './spec/spec-digest.js';
export { SpecDigests } from './spec/spec-digests.js';
export { SpecReader, type SpecUpload } from './spec/spec-reader.js';
/** @internal */
export { SpecWorkers } from './spec/spec-workers.js';
export type { Translation, Translations } from './translation.js';
export { UserAudiences } from './audiences/user-audiences.js';
/** @internal */
export { ANONYMOUS } from './visibility.js';
export { ADMIN, viewerOf, type Viewer } from './visibility.js';
