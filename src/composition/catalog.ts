import type { PortalServices } from '../api/index.js';
import { TableVersions } from '../database/index.js';
import {
  AudienceService,
  CategoryService,
  DemoSeeder,
  GatewayCatalog,
  PictureStore,
  ProductImport,
  ProductService,
  DocumentIndexes,
  SpecReader,
  UserAudiences,
} from '../domain/catalog/index.js';
import type { Gateway } from '../gateway/index.js';
import type { DomainBase } from './base.js';

export function createCatalog(
  base: DomainBase,
  accounts: PortalServices['accounts'],
  site: PortalServices['site'],
  gateway: Gateway,
): PortalServices['catalog'] {
  const { database, config, clock, outbound } = base;
  const { locale: defaultLocale, locales } = config.theme;
  const { maxSpecBytes, maxImageBytes, tryItOrigins } = config.catalog;
  const parts = { ...base, versions: new TableVersions(database), defaultLocale, locales };
  const digests = new DocumentIndexes(clock);
  const specs = new SpecReader(maxSpecBytes, outbound);
  const products = new ProductService(parts, specs, digests);
  const categories = new CategoryService(parts);
  const audiences = new AudienceService(parts);
  const { users } = accounts;
  const demo = new DemoSeeder({ users, products, categories, audiences, menus: site.menus, defaultLocale, locales });
  return {
    ...{ products, categories, audiences, demo },
    productImport: new ProductImport({ products, specs, categories, audiences }),
    userAudiences: new UserAudiences(parts),
    pictures: new PictureStore(database, clock),
    gateway: new GatewayCatalog(gateway, database),
    limits: { maxSpecBytes, maxImageBytes },
    ...{ digests, tryItOrigins },
  };
}
