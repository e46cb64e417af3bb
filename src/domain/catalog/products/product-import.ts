import { isDeepStrictEqual } from 'node:util';
import { NotFoundError, nullIfMissing, PortalError, ValidationError } from '../../../core/index.js';
import type { AudienceReader } from '../audience-reader.js';
import type { CategoryReader } from '../category-reader.js';
import type { SpecComparer } from '../openapi/diff/spec-comparer.js';
import type { SpecDiff } from '../openapi/diff/diff-documents.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import type { SpecReader, SpecUpload } from '../openapi/spec-reader.js';
import { ADMIN } from '../visibility.js';
import { documentTexts, slugOf, UnusableTextError, withoutExtension, type DocumentTexts } from './document-texts.js';
import type { SpecUploads } from '../versions/spec-uploads.js';
import { SLUG, type AdminProductRecord, type Visibility } from './product.js';
import type { ProductInput } from './product-input.js';
import type { ProductService } from './product-service.js';

/** An OpenAPI document to import. */
export interface ImportFile {
  /** Its name in reports and faults. */
  readonly name: string;
  /** `json` holds the address of the document as a request to the API does, in `bytes`: `{"url": "https://…"}`. */
  readonly kind?: SpecUpload['kind'];
  readonly bytes: Buffer;
}

/** Why a document cannot be imported. */
export interface ImportFault {
  readonly file: string;
  readonly reasons: readonly string[];
}

/** Settings for every document of an import; omitted ones stay as they are. */
export interface ImportChoices {
  /** Only with a single document; derived from its title by default. */
  readonly slug?: string | undefined;
  /** Default for a new product: `draft`. */
  readonly visibility?: Visibility | undefined;
  /** Slugs or ids. */
  readonly categories?: readonly string[] | undefined;
  /** By name. */
  readonly audiences?: readonly string[] | undefined;
}

/** The planned import of one document. */
export interface ProductPlan {
  readonly file: string;
  readonly slug: string;
  readonly name: string;
  readonly visibility: Visibility;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Fields that change; `spec` is the document. Empty for a new product. */
  readonly changes: readonly string[];
  /** What its document changes for callers; null if it changes nothing or there was none. @throws SpecRefusal for AsyncAPI */
  diff(): Promise<SpecDiff | null>;
  /** Executes the plan. @throws ValidationError, ConflictError when a concurrent change came first */
  carryOut(): Promise<void>;
}

/** Nothing was imported; `errors` has a row for each file or flag at fault. */
class ImportRefusedError extends PortalError {
  static override readonly code = 'import_refused';
  static override readonly status = 422;
  static override readonly publicMessage = 'Nothing was imported.';
}

interface ImportParts {
  readonly products: ProductService;
  readonly specs: SpecReader;
  readonly categories: CategoryReader;
  readonly audiences: AudienceReader;
  readonly comparer: SpecComparer;
  readonly uploads: SpecUploads;
}

interface ReadFile {
  readonly file: string;
  readonly slug: string;
  readonly spec: StoredSpec;
  readonly texts: DocumentTexts;
}

/** What is wrong, by file or flag. */
type Faults = Record<string, string[]>;

const blame = (faults: Faults, what: string, fault: string) => void (faults[what] ??= []).push(fault);

function refuse(faults: Faults): void {
  if (Object.keys(faults).length > 0) throw new ImportRefusedError({ errors: faults });
}

type Links = Pick<ProductInput, 'visibility' | 'categories' | 'audiences'>;

/** Creates products from OpenAPI documents, or updates existing ones. */
export class ProductImport {
  constructor(private readonly parts: ImportParts) {}

  /**
   * Reads everything and changes nothing.
   * @returns a plan for each file, in the same order
   * @throws ImportRefusedError with every fault of every file
   */
  async plan(files: readonly ImportFile[], choices: ImportChoices): Promise<ProductPlan[]> {
    const faults: Faults = {};
    const links = await this.checkLinks(choices, faults);
    const documents = await this.readFiles(files, choices.slug, faults);
    refuse(faults);
    return this.planAll(documents, links);
  }

  /**
   * The same, but a faulty document does not keep the others back.
   * @throws ImportRefusedError for choices that name what there is not
   */
  async planUsable(
    files: readonly ImportFile[],
    choices: Omit<ImportChoices, 'slug'>,
  ): Promise<{ readonly plans: ProductPlan[]; readonly faults: readonly ImportFault[] }> {
    const wrong: Faults = {};
    const links = await this.checkLinks(choices, wrong);
    refuse(wrong);
    const faults: Faults = {};
    const plans = await this.planAll(await this.readFiles(files, undefined, faults), links);
    return { plans, faults: Object.entries(faults).map(([file, reasons]) => ({ file, reasons })) };
  }

  private async readFiles(files: readonly ImportFile[], slug: string | undefined, faults: Faults): Promise<ReadFile[]> {
    const documents: ReadFile[] = [];
    for (const file of files) {
      const read = await this.readFile(file, slug, faults);
      const twin = documents.find((other) => other.slug === read?.slug);
      if (twin)
        blame(
          faults,
          file.name,
          `It would become the product ${twin.slug}, as ${twin.file} does. Import one by itself, with --slug.`,
        );
      else if (read) documents.push(read);
    }
    return documents;
  }

  private async planAll(documents: readonly ReadFile[], links: Partial<Links>): Promise<ProductPlan[]> {
    const plans: ProductPlan[] = [];
    for (const document of documents) plans.push(await this.planOne(document, links));
    return plans;
  }

  private async checkLinks(choices: ImportChoices, faults: Faults) {
    const { visibility, categories, audiences } = choices;
    const { slug } = choices;
    if (slug !== undefined && !SLUG.test(slug)) {
      blame(faults, '--slug', 'It must be 1 to 100 lower-case letters, digits and dashes, and begin with a letter.');
    }
    const known: string[] = [];
    for (const reference of categories ?? []) {
      const found = await this.parts.categories.findForAdmin(reference).catch(nullIfMissing);
      if (found) known.push(found.slug);
      else blame(faults, '--category', `There is no category ${reference}.`);
    }
    for (const name of audiences ?? []) {
      if (!(await this.parts.audiences.findByName(name).catch(nullIfMissing)))
        blame(faults, '--audience', `There is no audience ${name}.`);
    }
    return {
      visibility,
      categories: categories && [...new Set(known)],
      audiences: audiences && [...new Set(audiences)],
    };
  }

  private async readFile(
    { name, kind = 'file', bytes }: ImportFile,
    given: string | undefined,
    faults: Faults,
  ): Promise<ReadFile | null> {
    try {
      const spec = await this.parts.specs.readUpload({ kind, bytes });
      const texts = documentTexts(spec, name);
      const slug = given ?? slugOf(texts.name) ?? slugOf(withoutExtension(name));
      if (slug !== null) return { file: name, slug, spec, texts };
      blame(faults, name, 'No slug can be made of its title or its name. Choose one with --slug.');
    } catch (error) {
      if (error instanceof UnusableTextError) blame(faults, name, error.message);
      else if (error instanceof ValidationError)
        for (const fault of Object.values(error.errors).flat()) blame(faults, name, fault);
      else throw error;
    }
    return null;
  }

  private async planOne(document: ReadFile, links: Partial<Links>): Promise<ProductPlan> {
    const present = await this.parts.products.findForAdmin(document.slug).catch(nullIfMissing);
    return present ? this.planUpdate(document, present, links) : this.planCreation(document, links);
  }

  private planCreation({ file, slug, spec, texts }: ReadFile, links: Partial<Links>): ProductPlan {
    const { visibility = 'draft', ...others } = links;
    const input = { slug, ...texts, visibility, approval: 'auto', gatewayProductId: slug, ...others } as const;
    return {
      ...{ file, slug, name: texts.name, visibility, outcome: 'created', changes: [] },
      diff: () => Promise.resolve(null),
      carryOut: async () => void (await this.parts.products.create(input, spec.document)),
    };
  }

  private async planUpdate(
    { file, slug, spec, texts }: ReadFile,
    present: AdminProductRecord,
    links: Partial<Links>,
  ): Promise<ProductPlan> {
    const { products } = this.parts;
    const input = { ...(await this.findFollowingTexts(present, texts, file)), ...pickDifferences(present, links) };
    const isNewDocument = present.specHash !== spec.hash;
    const changes = [...Object.keys(input), ...(isNewDocument ? ['spec'] : [])];
    const { name, visibility } = { ...present, ...input };
    return {
      ...{ file, slug, name, visibility, changes, outcome: changes.length === 0 ? 'unchanged' : 'updated' },
      diff: async () => {
        if (!isNewDocument || present.specHash === null) return null;
        const { document: old } = await products.spec(present.id, ADMIN);
        return old === null ? null : this.parts.comparer.diffDocuments(old, spec.document);
      },
      // Texts first: if interrupted in between, a second run still sees which of them came from the old document.
      carryOut: async () => {
        if (Object.keys(input).length > 0) await products.update(present.id, input);
        if (isNewDocument) await this.parts.uploads.importDocument(present, spec);
      },
    };
  }

  // Texts edited in the portal are kept; those that still equal the old document's follow the new one.
  private async findFollowingTexts(
    present: AdminProductRecord,
    texts: DocumentTexts,
    file: string,
  ): Promise<Partial<DocumentTexts>> {
    const before = await this.textsOfPresent(present, file);
    const fields = Object.keys(texts) as (keyof DocumentTexts)[];
    const following = fields.filter(
      (field) => present[field] === (before?.[field] ?? '') && present[field] !== texts[field],
    );
    return Object.fromEntries(following.map((field) => [field, texts[field]]));
  }

  private async textsOfPresent({ id, specHash }: AdminProductRecord, file: string): Promise<DocumentTexts | null> {
    if (specHash === null) return null;
    try {
      const { hash, document } = await this.parts.products.spec(id, ADMIN);
      return document === null ? null : documentTexts({ hash, document: document.toString() }, file);
    } catch (error) {
      // A document uploaded by other means, with texts that no product can have: none of the product's texts came from
      // it.
      if (error instanceof UnusableTextError || error instanceof NotFoundError) return null;
      throw error;
    }
  }
}

function pickDifferences(
  present: AdminProductRecord,
  { visibility, categories, audiences }: Partial<Links>,
): Partial<Links> {
  const isOther = (now: readonly string[], wanted: Links['categories']) =>
    wanted !== undefined && !isDeepStrictEqual([...now].sort(), [...wanted].sort());
  return {
    ...(visibility !== undefined && visibility !== present.visibility && { visibility }),
    ...(isOther(
      present.categories.map(({ slug }) => slug),
      categories,
    ) && { categories }),
    ...(isOther(
      present.audiences.map(({ name }) => name),
      audiences,
    ) && { audiences }),
  };
}
