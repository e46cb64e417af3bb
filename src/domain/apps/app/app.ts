import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../../database/index.js';
import type { Approvable, ApprovalStatus, ApproverType } from './approval.js';

/** Whether the gateway has it too. `creating` rows are nobody's yet and are never shown. */
export type SyncState = 'creating' | 'synced' | 'deleting';

/** An app of a developer. */
export interface AppRecord extends Approvable {
  readonly id: number;
  readonly userId: number;
  /** Unique for the developer whatever its case, and never changed. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly callbackUrl: string | null;
  readonly syncState: SyncState;
  /** What the gateway calls it; null: the same. Imported apps may have a name there that none can have here. */
  readonly gatewayName: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Row of `portal_apps`. */
export interface App extends Model<InferAttributes<App>, InferCreationAttributes<App>> {
  id: CreationOptional<number>;
  userId: number;
  name: string;
  /** The name in lower case. */
  nameKey: string;
  displayName: string;
  description: string;
  callbackUrl: string | null;
  status: ApprovalStatus;
  statusReason: CreationOptional<string | null>;
  revokedBy: CreationOptional<ApproverType | null>;
  approvedAt: CreationOptional<Date | null>;
  syncState: SyncState;
  gatewayAppId: CreationOptional<string | null>;
  gatewayName: CreationOptional<string | null>;
  /** Holder of the lease; see `AppLeases`. */
  leaseToken: CreationOptional<string | null>;
  leaseUntil: CreationOptional<Date | null>;
  createdAt: Date;
  updatedAt: Date;
}

export const approvalColumns = {
  status: DataTypes.STRING(16),
  statusReason: DataTypes.STRING(500),
  revokedBy: DataTypes.STRING(16),
  approvedAt: TIMESTAMP,
};

export const appModel = defineModel<App>('App', 'portal_apps', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  userId: DataTypes.BIGINT,
  name: DataTypes.STRING(100),
  nameKey: DataTypes.STRING(100),
  displayName: DataTypes.STRING(200),
  description: DataTypes.TEXT,
  callbackUrl: DataTypes.STRING(2048),
  ...approvalColumns,
  syncState: DataTypes.STRING(16),
  gatewayAppId: DataTypes.STRING(255),
  gatewayName: DataTypes.STRING(255),
  leaseToken: DataTypes.STRING(36),
  leaseUntil: TIMESTAMP,
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Field of an {@link AppRecord} → SQL over an alias of `portal_apps`; decode with {@link APP_DECODE}. */
export function appFields(alias: string): Record<keyof AppRecord, string> {
  return {
    id: `${alias}.id`,
    userId: `${alias}.user_id`,
    name: `${alias}.name`,
    displayName: `${alias}.display_name`,
    description: `${alias}.description`,
    callbackUrl: `${alias}.callback_url`,
    ...approvalFields(alias),
    syncState: `${alias}.sync_state`,
    gatewayName: `${alias}.gateway_name`,
    createdAt: `${alias}.created_at`,
    updatedAt: `${alias}.updated_at`,
  };
}

export function approvalFields(alias: string): Record<keyof Approvable, string> {
  return {
    status: `${alias}.status`,
    statusReason: `${alias}.status_reason`,
    revokedBy: `${alias}.revoked_by`,
    approvedAt: `${alias}.approved_at`,
  };
}

export const APP_DECODE = { approvedAt: 'date', createdAt: 'date', updatedAt: 'date' } as const;

/** `SELECT` list of fields. */
export function selectList(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(', ');
}
