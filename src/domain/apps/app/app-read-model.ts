import { mapPage, type ListPage } from '../../../core/index.js';
import type { AppRecord } from './app.js';
import type { AppParts } from '../app-parts.js';
import {
  CredentialReadModel,
  productsOf,
  type AppProduct,
  type CredentialView,
} from '../credential/credential-read-model.js';

/** An app as it is shown. */
export interface AppView {
  readonly app: AppRecord;
  /** null unless the list was asked to include them. */
  readonly credentials: readonly CredentialView[] | null;
  readonly products: readonly AppProduct[] | null;
}

/** Reads what belongs to apps: their credentials and the products on them. */
export class AppReadModel {
  private readonly credentials: CredentialReadModel;

  constructor(private readonly parts: AppParts) {
    this.credentials = new CredentialReadModel(parts);
  }

  async one(app: AppRecord): Promise<AppView> {
    const credentials = await this.credentialsOf([app]);
    return { app, credentials, products: productsOf(credentials.flatMap(({ products }) => products)) };
  }

  /** @param wanted of `credentials`, `products`: the relations to include */
  async page(page: ListPage<AppRecord>, wanted: readonly string[]): Promise<ListPage<AppView>> {
    const isAsked = wanted.includes('credentials') || wanted.includes('products');
    const credentials = isAsked ? await this.credentialsOf(page.items) : [];
    return mapPage(page, (app) => {
      const own = credentials.filter(({ appId }) => appId === app.id);
      return {
        app,
        credentials: wanted.includes('credentials') ? own : null,
        products: wanted.includes('products') ? productsOf(own.flatMap(({ products }) => products)) : null,
      };
    });
  }

  private async credentialsOf(apps: readonly AppRecord[]): Promise<CredentialView[]> {
    return this.credentials.of(await this.parts.reader.credentialsOf(apps.map(({ id }) => id)));
  }
}
