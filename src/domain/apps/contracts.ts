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
   * Splits products by whether the developer may put them on a key, that is, may see them (S57).
   * @param references slugs or ids
   * @returns each product once, in the requested order; `unknown` are the ones they may not use
   */
  splitAttachable(
    userId: number,
    references: readonly (string | number)[],
  ): Promise<{ readonly products: readonly AttachableProduct[]; readonly unknown: readonly string[] }>;
}

/** A product imported along with the keys that carry it; visible to admins only. */
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
