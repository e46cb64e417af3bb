import { DataTypes, defineModel, TIMESTAMP, type InferAttributes, type Model } from '../../../database/index.js';
import { approvalColumns, approvalFields } from '../app/app.js';
import type { Approvable, ApprovalStatus, ApproverType } from '../app/approval.js';

/** A product on a credential. */
export interface GrantRecord extends Approvable {
  readonly credentialId: number;
  readonly productId: number;
  readonly slug: string;
  readonly name: string;
  readonly gatewayProductId: string;
}

/** Row of `portal_credential_products`. */
export interface Grant extends Model<InferAttributes<Grant>, InferAttributes<Grant>> {
  credentialId: number;
  productId: number;
  status: ApprovalStatus;
  statusReason: string | null;
  revokedBy: ApproverType | null;
  approvedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export const grantModel = defineModel<Grant>('Grant', 'portal_credential_products', {
  credentialId: { type: DataTypes.BIGINT, primaryKey: true },
  productId: { type: DataTypes.BIGINT, primaryKey: true },
  ...approvalColumns,
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Field of a {@link GrantRecord} → SQL over `portal_credential_products` and `portal_products`. */
export function grantFields(alias: string, products: string): Record<keyof GrantRecord, string> {
  return {
    credentialId: `${alias}.credential_id`,
    productId: `${alias}.product_id`,
    slug: `${products}.slug`,
    name: `${products}.name`,
    gatewayProductId: `${products}.gateway_product_id`,
    ...approvalFields(alias),
  };
}

export const GRANT_DECODE = { approvedAt: 'date' } as const;
