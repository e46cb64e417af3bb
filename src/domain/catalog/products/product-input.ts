import type { NewRowOf } from '../../../database/index.js';
import type { RecordReference } from '../join-table.js';
import type { productRecord } from './product.js';
import type { Translations } from '../translation.js';

type NewProduct = NewRowOf<typeof productRecord>;

/** Fields that only code writes. */
type ServerField = 'id' | 'thumbnailFile' | 'specHash' | 'workflowsHash' | 'createdAt' | 'updatedAt';

/** Input for a product. The caller checks shapes and lengths; the service checks what only the database knows. */
export interface ProductInput extends Omit<NewProduct, ServerField> {
  readonly tags?: readonly string[];
  /** Slugs or ids. */
  readonly categories?: readonly RecordReference[];
  /** Names or ids. */
  readonly audiences?: readonly RecordReference[];
  /** Slugs or ids of the plans that it offers. */
  readonly plans?: readonly RecordReference[];
  /** One of its plans; the first by default. */
  readonly defaultPlan?: RecordReference;
  readonly translations?: Translations;
}

/** A document as JSON or YAML text, or parsed. */
export type SpecSource = string | object;
