import { TableVersions } from '../../database/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { OutboundFetcher } from '../../outbound/index.js';
import { AudienceService } from './audience-service.js';
import { CategoryService } from './category-service.js';
import { ChangelogDrafts } from './changelog-drafts.js';
import { ChangelogService } from './changelog-service.js';
import type { CatalogConfig } from './config.js';
import type { CatalogParts } from './contracts.js';
import { DeprecationService } from './versions/deprecation-service.js';
import { Lifecycles } from './versions/lifecycles.js';
import { GatewayCatalog } from './gateway-catalog.js';
import { SpecComparer } from './openapi/diff/spec-comparer.js';
import { DocumentIndexes } from './openapi/index-cache.js';
import { MOST_WORKFLOW_BYTES, SpecReader } from './openapi/spec-reader.js';
import { PictureStore } from './pictures.js';
import { PlanService } from './plans/plan-service.js';
import { PlanVersionService } from './plans/plan-version-service.js';
import { ProductOffers } from './plans/product-offers.js';
import { ProductImport } from './products/product-import.js';
import { ProductService } from './products/product-service.js';
import { DemoSeeder, type DemoParts } from './seed.js';
import { SpecChangeWriter, type SayIn } from './spec-change-writer.js';
import { UserAudiences } from './user-audiences.js';
import { DocumentHistory } from './versions/document-history.js';
import { OperationDater } from './versions/operation-dates.js';
import { ProductVersionService } from './versions/product-version-service.js';
import { SpecUploads } from './versions/spec-uploads.js';
import { VersionStates } from './versions/version-states.js';

export interface CatalogServices {
  readonly products: ProductService;
  readonly categories: CategoryService;
  readonly audiences: AudienceService;
  readonly plans: PlanService;
  readonly planVersions: PlanVersionService;
  /** The plans that products offer to developers. */
  readonly offers: ProductOffers;
  /** What changed in products. */
  readonly changelog: ChangelogService;
  /** What of products ends, and when. */
  readonly deprecations: DeprecationService;
  /** The same for the verify endpoint. */
  readonly lifecycles: Lifecycles;
  readonly versions: ProductVersionService;
  /** Every document that products were ever given. */
  readonly history: DocumentHistory;
  /** Gives products and versions their documents, with what that changes. */
  readonly uploads: SpecUploads;
  /** Says changes of documents. */
  readonly specWords: SpecChangeWriter;
  readonly demo: DemoSeeder;
  /** Creates products from OpenAPI documents, several at once. */
  readonly productImport: ProductImport;
  readonly userAudiences: UserAudiences;
  readonly pictures: PictureStore;
  /** The products that the gateway offers. */
  readonly gateway: GatewayCatalog;
  /** Upload limits in bytes. */
  readonly limits: {
    readonly maxSpecBytes: number;
    readonly maxWorkflowBytes: number;
    readonly maxImageBytes: number;
  };
  /** Indexed OpenAPI documents, as the reference viewer needs them. */
  readonly indexes: DocumentIndexes;
  /** What changed between two documents. */
  readonly comparer: SpecComparer;
  /** Origins that a reference may send requests to. */
  readonly tryItOrigins: readonly string[];
}

interface CatalogServicesParts extends Omit<CatalogParts, 'versions'>, Pick<DemoParts, 'users' | 'menus'> {
  readonly config: { readonly catalog: CatalogConfig };
  readonly outbound: OutboundFetcher;
  readonly sayIn: SayIn;
  readonly gateway: Gateway;
  readonly pages: { page(path: string): string };
}

export function createCatalogServices(base: CatalogServicesParts): CatalogServices {
  const { database, clock } = base;
  const { maxSpecBytes, maxImageBytes, tryItOrigins, documentSunsetDays } = base.config.catalog;
  const parts = { ...base, versions: new TableVersions(database) };
  const indexes = new DocumentIndexes(clock);
  const comparer = new SpecComparer(clock, maxSpecBytes, documentSunsetDays);
  const specs = new SpecReader(maxSpecBytes, base.outbound);
  const history = new DocumentHistory({ ...parts, comparer });
  const products = new ProductService(parts, specs, indexes, history);
  const changeWriter = new SpecChangeWriter(base.sayIn);
  const drafts = new ChangelogDrafts({ ...parts, history, changeWriter });
  const uploads = new SpecUploads({
    ...{ products, specs, history, changeWriter, drafts, database },
    dater: new OperationDater(parts, history),
    settings: base.config.catalog,
  });
  const states = new VersionStates(parts, products.written);
  const categories = new CategoryService(parts);
  const audiences = new AudienceService(parts);
  return {
    ...{ products, categories, audiences },
    plans: new PlanService(parts),
    planVersions: new PlanVersionService(parts),
    offers: new ProductOffers(parts),
    changelog: new ChangelogService(parts),
    deprecations: new DeprecationService({ ...parts, products, states, settings: base.config.catalog }),
    lifecycles: new Lifecycles({ ...parts, productPage: (slug) => base.pages.page(`/products/${slug}`) }),
    versions: new ProductVersionService(parts, states, base.config.catalog.draftsChanges ? drafts : null),
    ...{ history, specWords: changeWriter, uploads },
    demo: new DemoSeeder({ ...base, products, categories, audiences }),
    productImport: new ProductImport({ products, specs, categories, audiences, comparer, uploads }),
    userAudiences: new UserAudiences(parts),
    pictures: new PictureStore(database, clock),
    gateway: new GatewayCatalog(base.gateway, database),
    limits: { maxSpecBytes, maxWorkflowBytes: MOST_WORKFLOW_BYTES, maxImageBytes },
    ...{ indexes, tryItOrigins, comparer },
  };
}
