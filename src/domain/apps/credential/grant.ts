import { defineRecord, fieldOf, type RowOf } from '../../../database/index.js';
import { approvalFields } from '../app/app.js';

export const grantRecord = defineRecord({
  name: 'Grant',
  table: 'portal_credential_products',
  alias: 'g',
  fields: {
    credentialId: fieldOf.reference().key(),
    productId: fieldOf.reference().key(),
    ...approvalFields,
    createdAt: fieldOf.time().hidden(),
    updatedAt: fieldOf.time().hidden(),
  },
});

/** A product on a credential. */
export interface GrantRecord extends RowOf<typeof grantRecord> {
  readonly slug: string;
  readonly name: string;
  readonly gatewayProductId: string;
}
