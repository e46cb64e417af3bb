import { randomBytes } from 'node:crypto';
import { NotFoundError } from '../../core/index.js';
import type { UserService } from '../accounts/index.js';
import type { AudienceService } from './audience-service.js';
import type { CategoryService } from './category-service.js';
import { readDemoContent, type DemoContent, type DemoDeveloper, type DemoMenu } from './demo-content.js';
import type { ProductApproval, Visibility } from './products/product.js';
import type { ProductService } from './products/product-service.js';
import type { Translations } from './translation.js';
import { ADMIN } from './visibility.js';

/** Creates demo menus; implemented by the domain that owns them. */
export interface DemoMenus {
  exists(slug: string): Promise<boolean>;
  create(menu: DemoMenu): Promise<unknown>;
}

export interface DemoParts {
  readonly users: Pick<UserService, 'findByEmail' | 'create'>;
  readonly products: ProductService;
  readonly categories: CategoryService;
  readonly audiences: AudienceService;
  readonly menus: DemoMenus;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
}

interface Seeded {
  /** False if it already existed and was left as it is. */
  readonly isNew: boolean;
}

export interface DemoReport {
  readonly products: readonly (Seeded & {
    readonly slug: string;
    readonly name: string;
    readonly visibility: Visibility;
    readonly approval: ProductApproval;
    readonly hasSpec: boolean;
  })[];
  readonly categories: readonly (Seeded & { readonly slug: string; readonly name: string })[];
  readonly audiences: readonly (Seeded & { readonly name: string })[];
  readonly menus: readonly (Seeded & { readonly slug: string })[];
  /** With a password only for accounts that this run created; it is stored nowhere. */
  readonly developers: readonly (Seeded & { readonly email: string; readonly password?: string })[];
}

/**
 * Seeds a portal with demo content, through the normal services. Existing records stay as they are, so that a second
 * run changes nothing and an interrupted one can be completed.
 */
export class DemoSeeder {
  constructor(private readonly parts: DemoParts) {}

  /**
   * @param folder with `catalog.yaml`
   * @param onStep receives progress messages
   * @throws Error for unreadable content, ValidationError for content that the portal refuses
   */
  async run(folder: string, onStep: (what: string) => void = () => undefined): Promise<DemoReport> {
    const content = await readDemoContent(folder);
    onStep('audiences and categories');
    const audiences = await runEach(content.audiences, (audience) => this.audience(audience));
    const categories = await runEach(content.categories, (category) => this.category(category));
    const products = await runEach(content.products, (product) => {
      onStep(`product ${product.input.slug}`);
      return this.product(product);
    });
    onStep('menus');
    const menus = await runEach(content.menus, (menu) => this.menu(menu));
    onStep('developers');
    const developers = await runEach(content.developers, (developer) => this.developer(developer));
    return { products, categories, audiences, menus, developers };
  }

  private async audience(input: DemoContent['audiences'][number]) {
    const { audiences } = this.parts;
    const { record, isNew } = await keepExisting(
      () => audiences.findByName(input.name),
      () => audiences.create(input),
    );
    return { name: record.name, isNew };
  }

  private async category(input: DemoContent['categories'][number]) {
    const { categories, defaultLocale } = this.parts;
    const find = () => categories.find(input.slug, ADMIN, defaultLocale);
    const translations = this.pickOurLocales(input.translations);
    const { record, isNew } = await keepExisting(find, () => categories.create({ ...input, translations }));
    return { slug: record.slug, name: record.name, isNew };
  }

  private async product({ input, spec, workflows }: DemoContent['products'][number]) {
    const { products, defaultLocale } = this.parts;
    const find = () => products.find(input.slug, ADMIN, defaultLocale);
    const translations = this.pickOurLocales(input.translations);
    const { record, isNew } = await keepExisting(find, () => products.create({ ...input, translations }, spec));
    if (isNew && workflows) await products.setWorkflows(record, workflows);
    const { slug, name, visibility, approval, specHash } = record;
    return { slug, name, visibility, approval, hasSpec: specHash !== null, isNew };
  }

  // The demo has more languages than a portal may offer.
  private pickOurLocales(translations: Translations = {}): Translations {
    const { locales, defaultLocale } = this.parts;
    const isOffered = (locale: string) => locale !== defaultLocale && locales.includes(locale);
    return Object.fromEntries(Object.entries(translations).filter(([locale]) => isOffered(locale)));
  }

  private async menu(menu: DemoMenu) {
    const isNew = !(await this.parts.menus.exists(menu.slug));
    if (isNew) await this.parts.menus.create(menu);
    return { slug: menu.slug, isNew };
  }

  private async developer({ firstName, lastName, email, audiences }: DemoDeveloper) {
    const { users } = this.parts;
    const known = await users.findByEmail(email);
    const password = randomBytes(18).toString('base64url');
    const user = known?.user ?? (await users.create({ firstName, lastName, email, password, status: 'active' }));
    for (const audience of audiences) await this.parts.audiences.addMembers(audience, [user.id]);
    return known ? { email: user.email, isNew: false } : { email: user.email, password, isNew: true };
  }
}

// One after another: the report keeps the order of the file, and a small database is not overloaded.
async function runEach<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

async function keepExisting<A, B>(
  find: () => Promise<A>,
  create: () => Promise<B>,
): Promise<{ record: A; isNew: false } | { record: B; isNew: true }> {
  try {
    return { record: await find(), isNew: false };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { record: await create(), isNew: true };
  }
}
