export type { AudienceRecord } from './audience.js';
export { AudienceService } from './audience-service.js';
export type { CategoryInput, CategoryRecord, CategoryRow } from './category.js';
export { categoryListOptions, CategoryService } from './category-service.js';
export type { CatalogParts } from './contracts.js';
export type { DemoMenu, DemoMenuItem } from './demo-content.js';
export {
  AudienceCreatedEvent,
  AudienceMembersAddedEvent,
  CategoryCreatedEvent,
  ProductCreatedEvent,
  ProductSpecChangedEvent,
  ProductUpdatedEvent,
} from './events.js';
export { APPROVALS, type Approval, type CategoryLink, type ProductRecord, type Visibility } from './product.js';
export type { ProductInput, SpecSource } from './product-input.js';
export { productListOptions } from './product-list.js';
export type { AttachableProduct, SpecRead } from './product-reader.js';
export { ProductService } from './product-service.js';
export type { StoredSpec } from './spec/read-spec.js';
export { DemoSeeder, type DemoMenus, type DemoReport } from './seed.js';
export { SpecReader } from './spec/spec-reader.js';
/** @internal */
export { SpecWorkers } from './spec/spec-workers.js';
export type { Translation, Translations } from './translation.js';
export { UserAudiences, type AudienceReference } from './user-audiences.js';
/** @internal */
export { ADMIN, ANONYMOUS } from './visibility.js';
export { viewerOf, type Viewer } from './visibility.js';
