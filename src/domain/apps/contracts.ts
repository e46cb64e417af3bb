/** A product that may be put on a key. */
export interface AttachableProduct {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly approval: 'auto' | 'manual';
  readonly gatewayProductId: string;
}

/** What apps need of the catalog. */
export interface ProductAccess {
  /**
   * Which of these products the developer may put on a key: the ones they may see (S57).
   * @param references slugs or ids
   * @returns each product once, in the order asked for; `unknown` is what is not theirs to use
   */
  attachable(
    userId: number,
    references: readonly (string | number)[],
  ): Promise<{ readonly products: readonly AttachableProduct[]; readonly unknown: readonly string[] }>;
}

/** A product that was imported with the keys that carry it; nobody but admins sees it. */
export interface ProductDraft {
  readonly slug: string;
  readonly name: string;
  readonly shortDescription: string;
  readonly visibility: 'draft';
  readonly approval: 'auto';
  readonly gatewayProductId: string;
}

/** What the import needs of the catalog. */
export interface ProductDrafts {
  /** @throws ValidationError for a taken slug or gateway product */
  create(draft: ProductDraft): Promise<{ readonly id: number }>;
}
