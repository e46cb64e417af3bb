import type { RecordReference } from '../join-table.js';
import type { Approval, Visibility } from './product.js';
import type { Translations } from '../translation.js';

/** What makes a product. Shapes and lengths are the caller's to check; the service checks what only the database knows. */
export interface ProductInput {
  readonly slug: string;
  readonly name: string;
  readonly shortDescription?: string;
  /** Markdown. */
  readonly description?: string;
  readonly visibility: Visibility;
  readonly approval: Approval;
  readonly gatewayProductId: string;
  /** An address, or what {@link PictureStore} gave. */
  readonly thumbnailUrl?: string | null;
  readonly customAttributes?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** Slugs or ids. */
  readonly categories?: readonly RecordReference[];
  /** Names or ids. */
  readonly audiences?: readonly RecordReference[];
  readonly translations?: Translations;
}

/** A document as JSON or YAML text, or parsed. */
export type SpecSource = string | object;
