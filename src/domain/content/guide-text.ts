import { nullIfMissing } from '../../core/index.js';
import type { ProductRecord, ProductService, Viewer } from '../catalog/index.js';
import type { Guide } from './guide.js';
import { createGuideParser, readEmbedded, LONGEST_GUIDE, type EmbeddedOperation } from './guide-syntax.js';

/** An operation that a guide shows, with the line of the text that asks for it, from 0. */
export interface PlacedOperation extends EmbeddedOperation {
  readonly line: number;
}

type Products = Pick<ProductService, 'find'>;

/** The texts of guides as their readers may see them: what they show of products follows the products' own rule. */
export class GuideTextReader {
  private readonly parser = createGuideParser();

  constructor(private readonly products: Products) {}

  /**
   * A guide as Markdown, below its title. Operations of products that the reader does not see are left out, line and
   * all; `onOperation` may write others out, null leaves out.
   */
  async asMarkdown(
    guide: Guide,
    viewer: Viewer,
    locale: string,
    onOperation: (product: ProductRecord, operation: string, line: string) => Promise<string | null> | string = (
      _product,
      _operation,
      line,
    ) => line,
  ): Promise<string> {
    const lines = guide.description.replaceAll('\r\n', '\n').split('\n');
    for (const { line, operation, ...embedded } of this.operationsOf(guide.description)) {
      const product = await this.productOf(guide, embedded.product, viewer, locale);
      lines[line] = (product && (await onOperation(product, operation, lines[line] ?? ''))) ?? '';
    }
    return lines
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
  }

  /** The operations that a text shows, in its order. */
  operationsOf(text: string): PlacedOperation[] {
    if (!text.includes('::operation')) return [];
    const tokens = this.parser.parse(text.replaceAll('\r\n', '\n').slice(0, LONGEST_GUIDE), {});
    return tokens.flatMap((token) => {
      const embedded = readEmbedded(token);
      return embedded ? [{ ...embedded, line: token.map?.[0] ?? 0 }] : [];
    });
  }

  /**
   * The product of an operation that a guide shows; null when this viewer does not see it.
   * @param named slug, or null for the product of the guide
   */
  async productOf(guide: Guide, named: string | null, viewer: Viewer, locale: string): Promise<ProductRecord | null> {
    const reference = named ?? guide.productId;
    return reference === null ? null : this.products.find(reference, viewer, locale).catch(nullIfMissing);
  }
}
