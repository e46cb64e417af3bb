import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../../database/index.js';
import { approvalColumns, approvalFields, type SyncState } from '../app/app.js';
import type { Approvable, ApprovalStatus, ApproverType } from '../app/approval.js';

/** A key of an app. The key itself stays with the gateway; this row never holds it. */
export interface CredentialRecord extends Approvable {
  readonly id: number;
  readonly appId: number;
  /** First and last four characters of the key. */
  readonly keyHint: string;
  /** The driver's reference, encrypted: for some gateways it is the key. */
  readonly gatewayKeyRef: string | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
  /** The credential that took its place by rotation. */
  readonly replacedBy: number | null;
  readonly syncState: SyncState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Row of `portal_credentials`. */
export interface Credential extends Model<InferAttributes<Credential>, InferCreationAttributes<Credential>> {
  id: CreationOptional<number>;
  appId: number;
  keyHint: string;
  gatewayKeyRef: CreationOptional<string | null>;
  status: ApprovalStatus;
  statusReason: CreationOptional<string | null>;
  revokedBy: CreationOptional<ApproverType | null>;
  approvedAt: CreationOptional<Date | null>;
  issuedAt: Date;
  expiresAt: CreationOptional<Date | null>;
  replacedBy: CreationOptional<number | null>;
  syncState: SyncState;
  createdAt: Date;
  updatedAt: Date;
}

export const credentialModel = defineModel<Credential>('Credential', 'portal_credentials', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  appId: DataTypes.BIGINT,
  keyHint: DataTypes.STRING(16),
  gatewayKeyRef: DataTypes.TEXT,
  ...approvalColumns,
  issuedAt: TIMESTAMP,
  expiresAt: TIMESTAMP,
  replacedBy: DataTypes.BIGINT,
  syncState: DataTypes.STRING(16),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Field of a {@link CredentialRecord} → SQL over an alias of `portal_credentials`; decode with {@link CREDENTIAL_DECODE}. */
export function credentialFields(alias: string): Record<keyof CredentialRecord, string> {
  return {
    id: `${alias}.id`,
    appId: `${alias}.app_id`,
    keyHint: `${alias}.key_hint`,
    gatewayKeyRef: `${alias}.gateway_key_ref`,
    ...approvalFields(alias),
    issuedAt: `${alias}.issued_at`,
    expiresAt: `${alias}.expires_at`,
    replacedBy: `${alias}.replaced_by`,
    syncState: `${alias}.sync_state`,
    createdAt: `${alias}.created_at`,
    updatedAt: `${alias}.updated_at`,
  };
}

export const CREDENTIAL_DECODE = {
  approvedAt: 'date',
  issuedAt: 'date',
  expiresAt: 'date',
  createdAt: 'date',
  updatedAt: 'date',
} as const;

export type CredentialStatus = ApprovalStatus | 'expired';

/** The state as people see it: a key whose time is over is `expired`, unless somebody revoked it. */
export function credentialStatus(
  { status, expiresAt }: Pick<CredentialRecord, 'status' | 'expiresAt'>,
  now: Date,
): CredentialStatus {
  return status !== 'revoked' && expiresAt !== null && expiresAt <= now ? 'expired' : status;
}

/** What the portal keeps of a key to tell it from others. */
export function keyHint(consumerKey: string): string {
  return consumerKey.slice(0, 4) + consumerKey.slice(-4);
}

/** Where the encrypted reference of a credential belongs (S71). */
export function keyRefContext(id: number): string {
  return `portal_credentials:${id}:gateway_key_ref`;
}

/** A key as people may see it: its first four characters, a mask, its last four. @param hint as {@link keyHint} made it */
export function maskedKey(hint: string): string {
  return `${hint.slice(0, 4)}••••${hint.slice(4)}`;
}
