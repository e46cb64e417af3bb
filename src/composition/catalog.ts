import type { PortalServices } from '../api/index.js';
import { TableVersions } from '../database/index.js';
import {
  AudienceService,
  CategoryService,
  DemoSeeder,
  ProductService,
  SpecReader,
  UserAudiences,
} from '../domain/catalog/index.js';
import type { DomainBase } from './base.js';

export function createCatalog(
  base: DomainBase,
  accounts: PortalServices['accounts'],
  site: PortalServices['site'],
): PortalServices['catalog'] {
  const { database, config } = base;
  const defaultLocale = config.theme.locale;
  const parts = { ...base, versions: new TableVersions(database), defaultLocale };
  const products = new ProductService(parts, new SpecReader(config.catalog.maxSpecBytes));
  const categories = new CategoryService(parts);
  const audiences = new AudienceService(parts);
  const { users } = accounts;
  const demo = new DemoSeeder({ users, products, categories, audiences, menus: site.menus, defaultLocale });
  return { products, categories, audiences, demo, userAudiences: new UserAudiences(parts) };
}
