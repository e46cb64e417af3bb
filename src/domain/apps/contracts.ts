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
